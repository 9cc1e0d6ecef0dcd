// Keys of random kinds: a hundred kinds of each type, in random numbers, sorted in every way. A failure can be
// reproduced from the number of the mixture.
#include "mixtures.hpp"

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "device_digest.cuh"
#include "device_memory.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "random.hpp"
#include "support.hpp"

namespace {

using namespace testing;

using on_device::for_all, on_device::blocks, on_device::threads;
template <class Key>
using bits_of = gpu::detail::bits_of_size<sizeof(Key)>;

/// Fills keys with integers or, for floating-point keys, also with bit patterns, which include infinities and NaNs.
template <class Key>
__global__ void fill_kernel(Key* keys, std::size_t n, std::uint64_t number, bool as_bits) {
  const mixture key_at{number};
  for_all(n, [=](std::size_t i) {
    const std::uint64_t key = key_at(i);
    if (as_bits) {
      const auto bits = static_cast<bits_of<Key>>(key);
      memcpy(&keys[i], &bits, sizeof(bits));
    } else {
      keys[i] =
          std::is_floating_point_v<Key> ? static_cast<Key>(static_cast<std::int64_t>(key)) : static_cast<Key>(key);
    }
  });
}
template <class Value>
__global__ void number_kernel(Value* values, std::size_t n) {
  for_all(n, [=](std::size_t i) { values[i] = static_cast<Value>(i); });
}

/// Maps keys to integers in the documented order: NaNs are equivalent, and so are zeros.
template <class Key>
__device__ std::uint64_t rank_of(Key key) {
  constexpr auto sign = static_cast<bits_of<Key>>(bits_of<Key>{1} << (8 * sizeof(Key) - 1));
  if (key != key) return ~std::uint64_t{0};
  if (key == 0) key = 0;
  bits_of<Key> bits;
  memcpy(&bits, &key, sizeof(bits));
  if constexpr (std::is_floating_point_v<Key>)
    return static_cast<bits_of<Key>>(bits & sign ? ~bits : bits | sign);
  else
    return static_cast<bits_of<Key>>(std::is_signed_v<Key> ? bits ^ sign : bits);
}

struct findings {
  unsigned long long sum_before, sum_after, out_of_order, elsewhere, unstable;
};

/// keys: the sorted keys, or null if they have not moved; values: where each was before, or null if unknown.
template <class Key, class Value>
__global__ void look_kernel(const Key* before, const Key* keys, const Value* values, std::size_t n, findings* found) {
  const auto bits_at = [](const Key* all, std::size_t i) { return reinterpret_cast<const bits_of<Key>*>(all)[i]; };
  findings own{};
  for_all(n, [&](std::size_t i) {
    const std::size_t from = values != nullptr ? static_cast<std::size_t>(values[i]) : i;
    if (from >= n) return void(++own.elsewhere);
    own.sum_before += mixed(values != nullptr ? i : bits_at(before, i));
    own.sum_after += mixed(values != nullptr ? from : bits_at(keys, i));
    if (values != nullptr && keys != nullptr) own.elsewhere += bits_at(before, from) != bits_at(keys, i);
    if (i == 0) return;
    const std::size_t previous = values != nullptr ? static_cast<std::size_t>(values[i - 1]) : i - 1;
    if (previous >= n) return;
    const Key* const all = values != nullptr ? before : keys;
    const std::uint64_t left = rank_of(all[previous]), right = rank_of(all[from]);
    own.out_of_order += left > right;
    own.unstable += left == right && previous > from;
  });
  atomicAdd(&found->sum_before, own.sum_before);
  atomicAdd(&found->sum_after, own.sum_after);
  atomicAdd(&found->out_of_order, own.out_of_order);
  atomicAdd(&found->elsewhere, own.elsewhere);
  atomicAdd(&found->unstable, own.unstable);
}

/// A mixture of n keys, with values that number them, sorted in all ways.
template <class Key, class Value>
class sorts {
 public:
  sorts(std::size_t n, std::uint64_t number, bool as_bits, std::string type)
      : n_{n},
        what_{std::move(type) + (as_bits ? " by bits" : "") + ", mixture " + std::to_string(number) + ", " +
              std::to_string(n)},
        before_{memory::device, std::vector<Key>(n)},
        keys_{memory::device, std::vector<Key>(n)},
        values_{memory::device, std::vector<Value>(n)} {
    fill_kernel<<<blocks, threads>>>(before_.data(), n, number, as_bits);
  }

  void check_all() {
    const gpu::device_span<Key> keys{keys_.data(), n_};
    const gpu::device_span<Value> values{values_.data(), n_};
    check("sort", false, false, [&](auto policy) { gpu::sort(policy, keys); });
    check("stable_sort", false, false, [&](auto policy) { gpu::stable_sort(policy, keys); });
    check("sort_by_key", true, false, [&](auto policy) { gpu::sort_by_key(policy, keys, values); });
    check("stable_sort_by_key", true, true, [&](auto policy) { gpu::stable_sort_by_key(policy, keys, values); });
    const gpu::device_span<const Key> unsorted{before_.data(), n_};
    gpu::argsort(gpu::par, unsorted, values);
    look("argsort", nullptr, values_.data(), true);
  }

 private:
  template <class Sort>
  void check(const std::string& call, bool with_values, bool stable, Sort sort) {
    check_cuda(cudaMemcpy(keys_.data(), before_.data(), n_ * sizeof(Key), cudaMemcpyDeviceToDevice));
    number_kernel<<<blocks, threads>>>(values_.data(), n_);
    sort(gpu::par);
    look(call, keys_.data(), with_values ? values_.data() : nullptr, stable);
  }

  void look(const std::string& call, const Key* keys, const Value* values, bool stable) {
    const storage<findings> result{memory::device, std::vector<findings>(1)};
    look_kernel<<<blocks, threads>>>(static_cast<const Key*>(before_.data()), keys, values, n_, result.data());
    const findings found = result.fetch()[0];
    expect(found.out_of_order == 0, call + " " + what_ + ": order");
    expect(found.sum_before == found.sum_after && found.elsewhere == 0, call + " " + what_ + ": elements");
    expect(!stable || found.unstable == 0, call + " " + what_ + ": stability");
  }

  std::size_t n_;
  std::string what_;
  storage<Key> before_, keys_;
  storage<Value> values_;
};

template <class Key, class Value>
void check_mixtures(unsigned count, const std::string& type) {
  random_source random{seed() + sizeof(Key) + 16 * sizeof(Value)};
  for (unsigned m = 0; m < count; ++m) {
    const double magnitude = 3 + 20 * static_cast<double>(random() >> 11) * 0x1p-53;  // as many small sizes as large
    const auto n = static_cast<std::size_t>(std::exp2(reduced() ? magnitude / 2 : magnitude));
    sorts<Key, Value>{n, random(), std::is_floating_point_v<Key> && m % 3 == 0, type}.check_all();
  }
}

}  // namespace

TEST_CASE("device: mixtures of fields by chance") {
  if (gpu::device_count() == 0) return skip("no device");
  const unsigned count = reduced() ? 5 : 100;
  check_mixtures<std::uint16_t, std::uint32_t>(count, "u16+u32");
  check_mixtures<std::int32_t, std::uint32_t>(count, "i32+u32");
  check_mixtures<std::uint32_t, std::uint64_t>(count, "u32+u64");
  check_mixtures<std::int64_t, std::uint32_t>(count, "i64+u32");
  check_mixtures<std::uint64_t, std::uint64_t>(count, "u64+u64");
  check_mixtures<float, std::uint32_t>(count, "f32+u32");
  check_mixtures<double, std::uint64_t>(count, "f64+u64");
}
