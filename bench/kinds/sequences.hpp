// Keys from texts and genomes: prefixes, words of a fixed length, ranks of suffixes. Each function returns the i-th
// key.
#pragma once

#include "identifiers.hpp"

namespace bench::kinds {

/// The letter after another one: with frequencies as in English, and often one of a few for the same preceding letter.
GPUPAR_HOST_DEVICE constexpr char letter_after(char before, std::uint64_t bits) {
  constexpr char by_share[] =
      "eeeeeeeeeeeetttttttttaaaaaaaaooooooooiiiiiiinnnnnnnsssssshhhhhhrrrrrrddddllllcccuuummmwwffggyyppbbvk";
  const std::uint64_t choice = bits % 2 == 0 ? (bits >> 1 & 3) + static_cast<std::uint64_t>(before) * 8 : bits >> 8;
  return by_share[(bits % 2 == 0 ? choice * 29 : choice) % 100];
}

/// Collects the first bytes of a text, most significant first.
struct prefix {
  uint128 bits = 0;
  int room = 16;  ///< bytes that are still missing

  GPUPAR_HOST_DEVICE constexpr void add(char c) {
    if (room == 0) return;
    bits = bits << 8 | static_cast<unsigned char>(c);
    --room;
  }
  GPUPAR_HOST_DEVICE constexpr void add(const char* text) {
    while (*text != '\0') add(*text++);
  }
  /// Adds the word with this number; frequent words are shorter.
  GPUPAR_HOST_DEVICE constexpr void add_word(std::uint64_t number, std::uint64_t seed) {
    const std::uint64_t shape = testing::random_at(seed, number);
    const std::uint64_t length = 2 + shape % 4 + static_cast<std::uint64_t>(testing::bit_length(number)) / 3;
    char last = 'e';
    for (std::uint64_t i = 0; i < length && room > 0; ++i) {
      last = letter_after(last, testing::random_at(shape, i));
      add(last);
    }
  }
  /// The prefix, padded with zeros.
  [[nodiscard]] GPUPAR_HOST_DEVICE constexpr uint128 padded() const { return room == 16 ? 0 : bits << 8 * room; }
};

/// The first bytes of lines of a text.
GPUPAR_HOST_DEVICE inline std::uint64_t text_prefix(const slot& at) {
  constexpr std::uint64_t words = 200'000;
  prefix line{0, 8};
  for (std::uint64_t word = 0; line.room > 0; ++word) {
    line.add_word(zipf(at.random(word), words, 1), at.seed);
    line.add(' ');
  }
  return static_cast<std::uint64_t>(line.padded());
}

/// The first 16 bytes of URLs.
GPUPAR_HOST_DEVICE inline uint128 url_prefix(const slot& at) {
  constexpr std::uint64_t domains = 100'000, pages = 5'000;
  const std::uint64_t domain = zipf(at.random(), domains, 0.95), form = at.shared(1, domain);
  prefix url;
  url.add(form % 8 != 0 ? "https://" : "http://");
  if (form / 8 % 8 < 5) url.add("www.");
  url.add_word(domain, at.seed);
  url.add(form / 64 % 4 == 0 ? ".org/" : ".com/");
  url.add_word(zipf(at.random(1), pages, 1), form);
  return url.padded();
}

/// A base of a genome, 0 to 3: part of a family of repeats with mutations, of a repeated short unit, or independent.
GPUPAR_HOST_DEVICE inline std::uint64_t base(const slot& genome, std::uint64_t place) {
  constexpr std::uint64_t stretch = 1024, families = 300;
  const std::uint64_t where = place / stretch, offset = place % stretch, kind = genome.shared(1, where);
  const std::uint64_t own = genome.shared(2, place);
  if (kind % 100 < 45) {
    const std::uint64_t family = zipf(genome.shared(3, where), families, 1);
    const std::uint64_t age = genome.shared(4, family) % 16;  // percent of bases that have mutated
    return own % 100 < age ? own >> 32 & 3 : genome.shared(5 + family, offset) & 3;
  }
  if (kind % 100 < 47) return genome.shared(6, where * 8 + offset % (1 + kind / 100 % 6)) & 3;
  return (own % 100 < 59 ? 0 : 1) ^ (own >> 63 != 0 ? 3u : 0u);
}

/// Words of 31 bases, or their reverse complements if these are less.
GPUPAR_HOST_DEVICE inline std::uint64_t kmer(const slot& at) {
  constexpr int k = 31;
  std::uint64_t forward = 0, backward = 0;
  for (int j = 0; j < k; ++j) {
    const std::uint64_t read = base(at, at.i + static_cast<std::uint64_t>(j));
    forward = forward << 2 | read;
    backward |= (3 - read) << 2 * j;
  }
  return forward < backward ? forward : backward;
}

/// A character, 0 to 26, of a text with recurring phrases.
GPUPAR_HOST_DEVICE inline std::uint64_t character(const slot& text, std::uint64_t place) {
  constexpr std::uint64_t length = 64, phrases = 5000;
  const std::uint64_t where = place / length, kind = text.shared(1, where);
  const std::uint64_t bits = kind % 2 == 0
                                 ? text.shared(2, zipf(text.shared(3, where), phrases, 1) * length + place % length)
                                 : text.shared(4, place);
  return bits % 6 == 0 ? 0 : static_cast<std::uint64_t>(letter_after('e', bits >> 3 | 1) - 'a') + 1;
}

/// The keys by which prefix doubling sorts suffixes: the ranks of their first four characters and of the next four, 20
/// bits each, as rank << 32 | next rank.
GPUPAR_HOST_DEVICE inline std::uint64_t suffix_ranks(const slot& at) {
  std::uint64_t ranks[2] = {};
  for (std::uint64_t j = 0; j < 8; ++j) ranks[j / 4] = ranks[j / 4] * 27 + character(at, at.i + j);
  return ranks[0] << 32 | ranks[1];
}

}  // namespace bench::kinds
