// Tests of every path of the device's algorithms call below the public functions: with few instantiations, so that each
// program builds in seconds, and with inputs of every shape around every tile size.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "distributions.hpp"
#include "gpu/detail/device/columns.cuh"
#include "gpu/detail/device/launching/context.hpp"
#include "gpu/detail/keys/key.hpp"
#include "gpu/detail/keys/ordering.hpp"
#include "gpu/detail/keys/shared_codes.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "records.hpp"
#include "resources.hpp"

namespace testing {

namespace device = gpu::detail::device;

/// Allocates memory that is initialised on request, since initcheck does not see what kernels write by bulk copies.
class written_resource : public counting_resource {
 public:
  explicit written_resource(bool written) : written_{written} {}

  void* allocate(std::size_t bytes, std::size_t alignment, gpu::stream_handle stream) override {
    void* const memory = counting_resource::allocate(bytes, alignment, stream);
    if (written_) copy_any(memory, std::vector<unsigned char>(bytes, 0x3c).data(), bytes);
    return memory;
  }

 private:
  bool written_;
};

/// A context whose scratch is counted and, if `written`, initialised. Everything runs on the default stream.
class workplace {
 public:
  explicit workplace(bool written = false)
      : resource_{written}, context_{nullptr, &resource_, device::properties(current_device())} {}
  [[nodiscard]] const device::context& context() const { return context_; }
  [[nodiscard]] counting_resource& resource() { return resource_; }

 private:
  written_resource resource_;
  device::context context_;
};

/// A device on which blocks cannot wait for each other, so that a sort of any size takes rounds of launches.
inline device::context by_rounds(device::context context) {
  context.device.cooperative = false;
  return context;
}

/// The same with one multiprocessor, so that each block has many tile ranges, of one subproblem and of several.
inline device::context by_few_blocks(device::context context) {
  context = by_rounds(context);
  context.device.multiprocessors = 1;
  return context;
}

inline bool no_device() { return testing::no_device("paths of the device"); }

template <class Key>
using bits_of = gpu::detail::bits_of_size<sizeof(Key)>;

/// The codec of keys of a type.
template <class Key>
auto codec_of(bool descending = false) {
  return gpu::detail::make_codec<bits_of<Key>>(gpu::detail::format_of<Key>(descending));
}

/// Codes that equivalent keys share, by which positions are sorted.
template <class Key>
auto shared_codes_of() {
  return gpu::detail::make_shared_codes<bits_of<Key>>(gpu::detail::format_of<Key>());
}

/// Keys as the kernels see them.
template <class Key>
std::vector<bits_of<Key>> raw(const std::vector<Key>& keys) {
  std::vector<bits_of<Key>> bits;
  for (const Key key : keys) bits.push_back(std::bit_cast<bits_of<Key>>(key));
  return bits;
}
template <class Key>
std::vector<Key> cooked(const std::vector<bits_of<Key>>& bits) {
  std::vector<Key> keys;
  for (const auto each : bits) keys.push_back(std::bit_cast<Key>(each));
  return keys;
}

/// The keys, with those before `middle` and the others sorted separately.
template <class Key>
std::vector<Key> sorted_halves(std::vector<Key> keys, std::size_t middle) {
  const auto cut = keys.begin() + static_cast<std::ptrdiff_t>(middle);
  std::sort(keys.begin(), cut);
  std::sort(cut, keys.end());
  return keys;
}

/// Random keys, each of which occurs about `times` times.
template <class Key>
std::vector<Key> repeated_keys(std::size_t n, std::size_t times) {
  return make_keys<Key>({"repeated", form::repeated, times}, n);
}

/// Keys in which only the bits of `mask` vary.
template <class Key>
std::vector<Key> masked(std::size_t n, Key mask) {
  auto keys = make_keys<Key>(uniform, n, n);
  for (Key& key : keys) key = static_cast<Key>((key & mask) | (Key{0x5a} << 4 & ~mask));
  return keys;
}

/// Uniform keys in [begin, begin + width), except that every `apart`-th key lies anywhere.
template <class Key>
std::vector<Key> keys_and_outsiders(std::size_t n, Key begin, Key width, std::size_t apart) {
  auto keys = make_keys<Key>(uniform, n, 0);
  for (std::size_t i = 0; i < n; ++i)
    if (i % apart != apart / 2) keys[i] = static_cast<Key>(begin + keys[i] % width);
  return keys;
}

/// Sizes around those of tiles and rounds; the largest take up to three levels of distribution.
inline std::vector<std::size_t> path_sizes() {
  std::vector<std::size_t> all{0,    1,    2,    31,   33,   255,    256,    257,    1000,    2047,     2048,
                               2049, 4095, 4096, 4097, 8192, 10'000, 40'001, 65'537, 300'007, 1'300'000};
  if (reduced()) return {33, 257, 2049, 40'001};
  return all;
}

/// Calls body(keys, what) for inputs of every shape; large inputs and reduced tests have a few shapes only.
template <class Key, class Body>
void with_shapes(Body body) {
  for (const std::size_t n : path_sizes()) {
    std::size_t number = 0;
    for (const auto& shape : all_distributions())
      if ((n <= 10'000 && !reduced()) || number++ % 4 == n % 4)
        body(make_keys<Key>(shape, n, n), shape.name + ", " + std::to_string(n));
  }
}

/// Checks sort(context, keys, n, codec) on keys alone.
template <class Key, class Sort>
void check_keys(const std::string& name, Sort sort) {
  workplace here;
  with_shapes<Key>([&](const std::vector<Key>& keys, const std::string& shape) {
    for (const bool descending : {false, true}) {
      const storage<bits_of<Key>> data{memory::device, raw(keys)};
      sort(here.context(), data.data(), keys.size(), codec_of<Key>(descending));
      const auto sorted = cooked<Key>(data.fetch(name));
      const std::string what = name + ", " + shape + (descending ? ", descending" : "");
      expect_none(
          descending ? sort_problem(keys, sorted, natural_greater{}) : sort_problem(keys, sorted, natural_less{}),
          what);
    }
  });
  expect(here.resource().outstanding() == 0, name + ": scratch is given back");
}

/// Checks sort(context, columns, n, codec) on keys with their indices as values.
template <class Key, class Sort>
void check_rows(const std::string& name, bool stable, Sort sort) {
  workplace here;
  with_shapes<Key>([&](const std::vector<Key>& keys, const std::string& shape) {
    const auto rows = with_index(keys);
    std::vector<std::uint32_t> indices;
    for (const auto& row : rows) indices.push_back(row.index);
    const storage<bits_of<Key>> key_data{memory::device, raw(keys)};
    const storage<std::uint32_t> value_data{memory::device, indices};
    sort(here.context(), device::columns<bits_of<Key>, std::uint32_t>{key_data.data(), value_data.data()}, keys.size(),
         codec_of<Key>());
    const auto sorted = cooked<Key>(key_data.fetch(name));
    const auto values = value_data.fetch(name);
    auto after = rows;
    for (std::size_t i = 0; i < after.size(); ++i) after[i] = {sorted[i], values[i]};
    const auto less = by(natural_less{}, &indexed<Key>::key);
    const std::string what = name + ", " + shape;
    expect_none(stable ? stable_sort_problem(rows, after, less) : sort_problem(rows, after, less), what);
  });
  expect(here.resource().outstanding() == 0, name + ": scratch is given back");
}

}  // namespace testing
