// Where the data are and which backend sorts: one test body, a template over the policy and the view, serves the host
// backend, the library's own choice, and the device with pageable, pinned, managed and device memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "device_memory.hpp"
#include "distributions.hpp"
#include "gpu/memory.hpp"
#include "gpu/plan.hpp"
#include "support.hpp"

namespace testing {

enum class memory { pageable, pinned, managed, device };

inline const char* to_string(memory kind) {
  constexpr const char* names[] = {"pageable", "pinned", "managed", "device"};
  return names[static_cast<int>(kind)];
}

/// An array in memory of some kind, between two guard zones that fetch() checks. Elements are copied as bytes; this
/// includes pairs and tuples, although their assignment is not trivial.
/// The array begins `misalignment` times alignof(Element) behind an address that is aligned to 256 bytes.
template <class Element>
class storage {
  static_assert(std::is_trivially_copy_constructible_v<Element> && std::is_trivially_destructible_v<Element>);

 public:
  storage(memory kind, const std::vector<Element>& elements, std::size_t misalignment = 0)
      : kind_{kind},
        count_{elements.size()},
        before_{guard_bytes + misalignment * alignof(Element)},
        base_{allocate()} {
    refill(elements);
  }
  storage(const storage&) = delete;
  storage& operator=(const storage&) = delete;
  ~storage() {
    if (kind_ == memory::pageable)
      ::operator delete(base_, std::align_val_t{guard_bytes});
    else if (kind_ == memory::pinned)
      gpu::pinned_allocator<unsigned char>{}.deallocate(base_, bytes());
    else if (kind_ == memory::managed)
      gpu::managed_allocator<unsigned char>{}.deallocate(base_, bytes());
    else
      deallocate_device(base_);
  }

  [[nodiscard]] Element* data() const { return reinterpret_cast<Element*>(base_ + before_); }
  [[nodiscard]] std::size_t size() const { return count_; }

  /// Overwrites the elements with the same number of others, and rewrites the guard zones.
  void refill(const std::vector<Element>& elements) {
    std::vector<unsigned char> image(bytes(), guard);
    auto* to = image.data() + before_;
    for (const Element& element : elements) {
      std::memcpy(to, std::addressof(element), sizeof(Element));
      to += sizeof(Element);
    }
    copy(base_, image.data());
  }

  /// The elements as they are now. Fails the test if a guard zone was written to.
  [[nodiscard]] std::vector<Element> fetch(const std::string& what = {}) const {
    std::vector<unsigned char> image(bytes());
    copy(image.data(), base_);
    bool intact = true;
    for (std::size_t i = 0; i < before_; ++i) intact &= image[i] == guard;
    for (std::size_t i = before_ + count_ * sizeof(Element); i < image.size(); ++i) intact &= image[i] == guard;
    if (!intact) expect(false, what + ": wrote outside the range");
    std::vector<Element> elements;
    elements.reserve(count_);
    for (std::size_t i = 0; i < count_; ++i) {
      alignas(Element) std::array<unsigned char, sizeof(Element)> one;
      std::memcpy(one.data(), image.data() + before_ + i * sizeof(Element), sizeof(Element));
      elements.push_back(*std::launder(reinterpret_cast<const Element*>(one.data())));
    }
    return elements;
  }

 private:
  static constexpr std::size_t guard_bytes = 256;
  static constexpr unsigned char guard = 0xa5;

  [[nodiscard]] std::size_t bytes() const { return before_ + count_ * sizeof(Element) + guard_bytes; }

  [[nodiscard]] unsigned char* allocate() const {
    if (kind_ == memory::pinned) return gpu::pinned_allocator<unsigned char>{}.allocate(bytes());
    if (kind_ == memory::managed) return gpu::managed_allocator<unsigned char>{}.allocate(bytes());
    if (kind_ == memory::device) return static_cast<unsigned char*>(allocate_device(bytes()));
    return static_cast<unsigned char*>(::operator new(bytes(), std::align_val_t{guard_bytes}));
  }

  void copy(void* to, const void* from) const {
    const bool by_device = kind_ == memory::device || kind_ == memory::managed;
    if (by_device && gpu::device_count() > 0)
      copy_any(to, from, bytes());
    else
      std::memcpy(to, from, bytes());
  }

  memory kind_;
  std::size_t count_, before_;
  unsigned char* base_;
};

/// Which backend sorts (the policy) and where the data are.
template <class Policy, bool InDeviceMemory>
struct place {
  Policy policy;
  memory kind;
  std::string name;

  static constexpr bool on_host = Policy::where == gpu::detail::placement::host_only;

  template <class Element>
  [[nodiscard]] storage<Element> store(const std::vector<Element>& elements, std::size_t misalignment = 0) const {
    return {kind, elements, misalignment};
  }

  /// The range that is passed to the algorithm.
  template <class Element>
  [[nodiscard]] auto view(const storage<Element>& stored) const {
    if constexpr (InDeviceMemory)
      return gpu::device_span<Element>{stored.data(), stored.size()};
    else
      return std::span<Element>{stored.data(), stored.size()};
  }

  /// The same place with this algorithm forced.
  [[nodiscard]] place using_algorithm(gpu::algorithm how) const {
    return {policy.using_algorithm(how), kind, name + ", " + std::string{gpu::to_string(how)}};
  }
};

/// Calls body(place) for the host backend and for the library's own choice, both with ordinary memory.
template <class Body>
void at_host_places(Body body) {
  body(place<decltype(gpu::par.require_host()), false>{gpu::par.require_host(), memory::pageable, "host"});
  body(place<gpu::parallel_policy, false>{gpu::par, memory::pageable, "anywhere"});
}

/// Calls body(place) for every kind of memory with the device required (for device memory alone if reduced); reports a
/// skip if there is no device.
template <class Body>
void at_device_places(Body body) {
  if (gpu::device_count() == 0) {
    skip("device places: no device");
    return;
  }
  if (!reduced())
    for (const auto kind : {memory::pageable, memory::pinned, memory::managed})
      body(place<decltype(gpu::par.require_device()), false>{gpu::par.require_device(), kind,
                                                             std::string{"device, "} + to_string(kind)});
  body(place<gpu::parallel_policy, true>{gpu::par, memory::device, "device, device memory"});
}

template <class Body>
void at_all_places(Body body) {
  at_host_places(body);
  at_device_places(body);
}

/// Calls body(place) for the host backend with ordinary memory, and for the device with its own: for what does not
/// depend on how data get there, in half the time to compile.
template <class Body>
void at_both_backends(Body body) {
  body(place<decltype(gpu::par.require_host()), false>{gpu::par.require_host(), memory::pageable, "host"});
  if (gpu::device_count() == 0) return skip("device memory: no device");
  body(place<gpu::parallel_policy, true>{gpu::par, memory::device, "device, device memory"});
}

}  // namespace testing
