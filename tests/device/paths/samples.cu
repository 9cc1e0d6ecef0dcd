// What samples say of keys before they are divided: whether they repeat, and what range they lie in.
#include "gpu/detail/device/block/evenness.cuh"
#include "gpu/detail/device/block/repetition.cuh"
#include "gpu/detail/device/block/splitters.cuh"
#include "gpu/detail/device/tuning/radix.hpp"
#include "gpu/detail/sample_key.hpp"

#include <string>

#include "paths.hpp"

using namespace testing;

namespace {

/// What block::repeats says of a sample of n keys.
constexpr int judges = 256;
template <class Key>
__global__ void judge_kernel(const Key* keys, std::size_t n, unsigned* answer) {
  __shared__ device::block::repetition_storage shared;
  constexpr int drawn = 4096 / judges;
  Key sample[drawn];
  for (int i = 0; i < drawn; ++i)
    sample[i] = keys[gpu::detail::random_position(0, 1, static_cast<unsigned>(i) * judges + threadIdx.x, n)];
  const bool found = device::block::repeats<judges>(sample, n, shared);
  if (threadIdx.x == 0) *answer = found ? 1 : 0;
}

/// What block::even_range says of a sample, and where bounds and what lies around them come of 256 buckets of that.
template <class Key>
struct found_range {
  Key least, span;
  float density;
  unsigned first, below, least_bucket, greatest_bucket, above, last;
};
template <class Key>
__global__ void even_range_kernel(const Key* keys, found_range<Key>* answer) {
  __shared__ device::block::evenness_storage<Key, judges> shared;
  constexpr int drawn = device::evenness_sample / judges;
  Key sample[drawn];
  for (int i = 0; i < drawn; ++i) sample[i] = keys[i * judges + threadIdx.x];
  float density = 0;
  const auto range = device::block::even_range<judges>(sample, shared, density);
  const auto greatest = static_cast<Key>(range.least + range.span), step = static_cast<Key>(range.span / 252);
  const auto bucket = device::block::even_buckets<Key>{range.least, range.span, 256}.with_separate_outsiders();
  if (threadIdx.x == 0)
    *answer = {range.least,
               range.span,
               density,
               bucket(0),
               bucket(static_cast<Key>(range.least - step / 2)),
               bucket(static_cast<Key>(range.least + step / 2)),
               bucket(static_cast<Key>(greatest - step / 2)),
               bucket(static_cast<Key>(greatest + step / 2)),
               bucket(static_cast<Key>(-1))};
}

/// Whether even_range() leaves outsiders out, and where codes around the range go then.
template <class Key>
void check_even_range(Key begin, Key width, std::size_t apart, bool left_out) {
  constexpr std::size_t n = device::evenness_sample;
  const std::string what = std::to_string(sizeof(Key)) + " bytes from " + std::to_string(begin) + ", outsiders every " +
                           std::to_string(apart);
  const storage<Key> sample{memory::device, keys_and_outsiders<Key>(n, begin, width, apart)};
  const storage<found_range<Key>> answer{memory::device, std::vector<found_range<Key>>(1)};
  even_range_kernel<<<1, judges>>>(sample.data(), answer.data());
  expect(cudaGetLastError() == cudaSuccess, what + ": launched");
  const auto found = answer.fetch(what)[0];
  if (!left_out) return expect(found.span > width && found.density > 3, what + ": they count");
  const Key margin = width / 100;
  expect(found.span < width + 2 * margin && found.span > width - 2 * margin, what + ": they do not count");
  expect(found.least < begin + margin && (begin < margin || found.least > begin - margin), what + ": least");
  expect(found.density < 1.7f, what + ": density");
  expect(found.least_bucket == (begin < margin ? 0 : 2), what + ": bucket of the least");
  expect(found.greatest_bucket == (begin + 2 * width < begin ? 255 : 253), what + ": bucket of the greatest");
  expect(found.first == 0 && found.last == 255, what + ": buckets of outsiders");
  if (begin > width) expect(found.below == 1, what + ": bucket of what the sample has missed below");
  if (begin + 2 * width > begin) expect(found.above == 254, what + ": bucket of what the sample has missed above");
}

}  // namespace

TEST_CASE("device paths: a sample tells whether codes repeat") {
  if (no_device()) return;
  const auto check = [](const std::string& what, const auto& keys, bool expected) {
    const storage<std::remove_cvref_t<decltype(keys[0])>> sample{memory::device, keys};
    const storage<unsigned> answer{memory::device, std::vector<unsigned>{2}};
    judge_kernel<<<1, judges>>>(sample.data(), keys.size(), answer.data());
    expect(cudaGetLastError() == cudaSuccess, what + ": launched");
    expect(answer.fetch(what)[0] == (expected ? 1u : 0u), what);
  };
  for (const std::size_t n : {5000, 100'000, 1'000'000}) {
    check(std::to_string(n) + " different keys", repeated_keys<std::uint32_t>(n, 1), false);
    check(std::to_string(n) + " wide different keys", repeated_keys<std::uint64_t>(n, 1), false);
    check(std::to_string(n) + " keys in pairs", repeated_keys<std::uint32_t>(n, 2), false);
    for (const std::size_t times : {16, 200, 5000}) {
      check(std::to_string(n) + " keys, " + std::to_string(times) + " times", repeated_keys<std::uint32_t>(n, times),
            true);
      check(std::to_string(n) + " wide keys, " + std::to_string(times) + " times",
            repeated_keys<std::uint64_t>(n, times), true);
    }
  }
}

TEST_CASE("device paths: a sample's range base_cases out few codes far away") {
  if (no_device()) return;
  const auto check = [](auto width) {
    using key = decltype(width);
    const auto high = static_cast<key>(-1) / 3;
    for (const std::size_t apart : {300, 4096}) check_even_range<key>(high, width, apart, true);
    check_even_range<key>(high, width, 100, false);
    check_even_range<key>(0, width, 1000, true);
    check_even_range<key>(static_cast<key>(static_cast<key>(-1) - width + 1), width, 1000, true);
  };
  check(std::uint32_t{1'000'000});
  check(std::uint64_t{1} << 40);
}
