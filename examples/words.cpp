// The most frequent words of files, or of a generated text: words are sorted as views of the text, counted, and sorted
// again by frequency.
//   words [FILE...]
#include <gpu/algorithm.hpp>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace {

struct counted_word {
  std::string text;
  std::size_t count;
};

std::string made_up_text(std::size_t words) {
  const std::vector<std::string> syllables{"ka", "lo", "mi", "ren", "sto", "tu", "ve"};
  std::mt19937 random{3};
  std::string text;
  for (; words > 0; --words) {
    for (std::size_t left = 1 + random() % 4; left > 0; --left) text += syllables[random() % syllables.size()];
    text += ' ';
  }
  return text;
}

std::string read(const char* path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

std::vector<std::string_view> words_of(std::string_view text) {
  const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0; };
  std::vector<std::string_view> words;
  for (auto at = text.begin(); at != text.end();) {
    const auto begin = std::find_if(at, text.end(), is_letter);
    at = std::find_if_not(begin, text.end(), is_letter);
    if (begin != at) words.emplace_back(begin, at);
  }
  return words;
}

/// Each run of equal words becomes one word with its count.
std::vector<counted_word> counted(const std::vector<std::string_view>& sorted) {
  std::vector<counted_word> words;
  for (const std::string_view word : sorted) {
    if (words.empty() || words.back().text != word) words.push_back({std::string{word}, 0});
    ++words.back().count;
  }
  return words;
}

}  // namespace

int main(int argc, char** argv) {
  std::string text;
  for (int i = 1; i < argc; ++i) text += read(argv[i]) + '\n';
  if (argc == 1) text = made_up_text(300'000);

  auto words = words_of(text);
  std::unordered_map<std::string_view, std::size_t> expected;
  for (const std::string_view word : words) ++expected[word];

  gpu::sort(gpu::par, words);  // only the views move
  auto frequencies = counted(words);
  gpu::stable_sort(gpu::par, frequencies, std::greater<>{}, &counted_word::count);  // ties stay in alphabetical order

  for (std::size_t i = 0; i < std::min<std::size_t>(10, frequencies.size()); ++i)
    std::cout << frequencies[i].count << ' ' << frequencies[i].text << '\n';

  bool right = std::ranges::is_sorted(words) && frequencies.size() == expected.size();
  for (const counted_word& word : frequencies) right = right && expected[word.text] == word.count;
  for (std::size_t i = 1; i < frequencies.size(); ++i)
    right =
        right && (frequencies[i - 1].count > frequencies[i].count ||
                  (frequencies[i - 1].count == frequencies[i].count && frequencies[i - 1].text < frequencies[i].text));
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
