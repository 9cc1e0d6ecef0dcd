// Orders by several keys, one projection after another: what by() returns, and what the library knows about such
// orders.
#pragma once

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

#include "../arguments/callables.hpp"
#include "compound.hpp"

namespace gpu::inline v1::detail {

/// One part of an order: elements are compared by a projection.
template <class Projection, class Compare>
struct order_part {
  using projection_type = Projection;
  using compare_type = Compare;
  mutable Projection projection;
  mutable Compare compare;
};

/// The offset of a member in its object, in bytes.
template <class T, class Member>
std::size_t offset_of_member(const Member& member) {
  alignas(T) static std::byte memory[sizeof(T)];  // addresses of an element, without an element
  const T& element = *reinterpret_cast<const T*>(&memory);
  return detail::distance_from(memory, std::addressof(element.*member));
}

/// Whether a part of an order can compare two elements. Assumed for extended __device__ lambdas, which cannot be
/// checked on the host.
template <class Part, class Left, class Right>
concept orders =
    is_device_lambda_v<typename Part::projection_type> || is_device_lambda_v<typename Part::compare_type> ||
    (std::invocable<typename Part::projection_type&, Left> && std::invocable<typename Part::projection_type&, Right> &&
     says_whether<typename Part::compare_type&, std::invoke_result_t<typename Part::projection_type&, Left>,
                  std::invoke_result_t<typename Part::projection_type&, Right>>);

/// The key of an element. Kernels read members directly: through an invoke, the compiler would not see that a callable
/// is host-only.
GPUPAR_ANY_CALLABLE
template <class Projection, class T>
GPUPAR_INLINE GPUPAR_HOST_DEVICE constexpr decltype(auto) key_of(Projection& projection, const T& element) {
  if constexpr (is_identity_v<Projection>)
    return (element);
  else if constexpr (is_data_member_v<const T, Projection>)
    return (element.*projection);
#if defined(__CUDA_ARCH__)
  else
    return projection(element);
#else
  else
    return detail::call(projection, element);
#endif
}

/// The result of a comparator for two keys. Standard functors, which are host-only, are replaced.
GPUPAR_ANY_CALLABLE
template <class Compare, class Left, class Right>
GPUPAR_INLINE GPUPAR_HOST_DEVICE constexpr bool says(Compare& compare, const Left& left, const Right& right) {
  constexpr direction along = std::is_same_v<Left, Right> ? detail::direction_of<Compare, Left>() : direction::unknown;
  if constexpr (along == direction::ascending)
    return static_cast<bool>(left < right);
  else if constexpr (along == direction::descending)
    return static_cast<bool>(right < left);
#if defined(__CUDA_ARCH__)
  else
    return static_cast<bool>(compare(left, right));
#else
  else
    return detail::compared(compare, left, right);
#endif
}

/// What is known about the order of keys by a comparator; by default, only the comparator itself. The members are those
/// of key_traits, with the comparator as an additional first argument.
template <class Key, class Compare>
struct order_traits {
  static constexpr bool known = false;
  static constexpr code_extent extent{0, false, false};
  static constexpr bool in_place = false;
  static constexpr std::size_t parts = 0;
};

/// Natural order, ascending or descending, of keys that the library knows.
template <class Key, class Compare>
  requires(has_order_v<Key> && direction_of<Compare, Key>() != direction::unknown)
struct order_traits<Key, Compare> {
  using traits = key_traits<Key>;
  static constexpr bool known = true;
  static constexpr bool descending = direction_of<Compare, Key>() == direction::descending;
  static constexpr code_extent extent = traits::extent;
  static constexpr bool in_place = traits::in_place;
  static constexpr std::size_t parts = [] {
    if constexpr (in_place)
      return traits::parts;
    else
      return std::size_t{0};
  }();

  GPUPAR_ANY_CALLABLE
  GPUPAR_HOST_DEVICE static constexpr int order(const Compare&, const Key& a, const Key& b) {
    return descending ? traits::order(b, a) : traits::order(a, b);
  }
  template <class Writer>
  GPUPAR_INLINE static constexpr void write(Writer& writer, const Compare&, const Key& key) {
    traits::write(writer, key, descending);
  }
  template <class Add>
  static void describe(const Add& add, const Compare&, std::size_t offset) {
    traits::describe(add, offset, descending);
  }
};

/// Returns less than, equal to or greater than 0, as the first key goes before, is equivalent to or goes after the
/// second.
GPUPAR_ANY_CALLABLE
template <class Compare, class Left, class Right>
GPUPAR_INLINE GPUPAR_HOST_DEVICE constexpr int order_of_keys(Compare& compare, const Left& left, const Right& right) {
  if constexpr (std::is_same_v<Left, Right> && order_traits<Left, Compare>::known)
    return order_traits<Left, Compare>::order(compare, left, right);
  else
    return detail::says(compare, left, right) ? -1 : detail::says(compare, right, left) ? 1 : 0;
}

/// The order in which all elements are equivalent: what by() starts from.
struct no_order {
  template <class Left, class Right>
  GPUPAR_HOST_DEVICE constexpr int order(const Left&, const Right&) const {
    return 0;
  }
};

/// An order extended by a part that decides between its equivalent elements.
template <class Previous, class Part>
class order_by {
 public:
  constexpr order_by(Previous previous, Part part) : previous_(std::move(previous)), part_(std::move(part)) {}

  /// Extends this order: equivalent elements are compared by a projection with a comparator, std::ranges::less if
  /// omitted.
  template <class Projection, class Compare = std::ranges::less>
  [[nodiscard]] constexpr auto then(Projection projection, Compare compare = {}) const {
    using part = order_part<Projection, Compare>;
    return order_by<order_by, part>(*this, part{std::move(projection), std::move(compare)});
  }

  /// Whether `left` goes before `right`: a strict weak order if those of its parts are.
  GPUPAR_ANY_CALLABLE
  template <class Left, class Right>
    requires orders<Part, Left&, Right&> &&
             (std::is_same_v<Previous, no_order> || std::invocable<const Previous&, Left&, Right&>)
  GPUPAR_HOST_DEVICE constexpr bool operator()(Left&& left, Right&& right) const {
    return order(left, right) < 0;
  }

  GPUPAR_ANY_CALLABLE
  template <class Left, class Right>
  GPUPAR_HOST_DEVICE constexpr int order(const Left& left, const Right& right) const {
    if (const int before = previous_.order(left, right); before != 0) return before;
    const auto& a = detail::key_of(part_.projection, left);
    const auto& b = detail::key_of(part_.projection, right);
    return detail::order_of_keys(part_.compare, a, b);
  }

  [[nodiscard]] constexpr const Previous& previous() const { return previous_; }
  [[nodiscard]] constexpr const Part& part() const { return part_; }

 private:
  Previous previous_;
  Part part_;
};

template <class Key>
struct order_traits<Key, no_order> {
  static constexpr bool known = true;
  static constexpr code_extent extent{};
  static constexpr bool in_place = true;
  static constexpr std::size_t parts = 0;

  template <class Writer>
  static constexpr void write(Writer&, const no_order&, const Key&) {}
  template <class Add>
  static void describe(const Add&, const no_order&, std::size_t) {}
};

template <class Key, class Previous, class Part>
  requires(!std::is_void_v<Key>)
struct order_traits<Key, order_by<Previous, Part>> {
  using compare_type = order_by<Previous, Part>;
  using projection_type = typename Part::projection_type;
  using before = order_traits<Key, Previous>;
  using part_traits = order_traits<typename projected_key<Key, projection_type>::type, typename Part::compare_type>;
  static constexpr bool known = true;
  static constexpr code_extent extent = before::extent + part_traits::extent;
  static constexpr bool in_place = before::in_place && part_traits::in_place &&
                                   (is_identity_v<projection_type> || is_data_member_v<Key, projection_type>);
  static constexpr std::size_t parts = before::parts + part_traits::parts;

  GPUPAR_ANY_CALLABLE
  GPUPAR_HOST_DEVICE static constexpr int order(const compare_type& compare, const Key& a, const Key& b) {
    return compare.order(a, b);
  }
  template <class Writer>
  GPUPAR_INLINE static constexpr void write(Writer& writer, const compare_type& compare, const Key& key) {
    before::write(writer, compare.previous(), key);
    if constexpr (before::extent.whole && part_traits::known)
      part_traits::write(writer, compare.part().compare, detail::key_of(compare.part().projection, key));
  }
  template <class Add>
  static void describe(const Add& add, const compare_type& compare, std::size_t offset) {
    before::describe(add, compare.previous(), offset);
    if constexpr (is_identity_v<projection_type>)
      part_traits::describe(add, compare.part().compare, offset);
    else
      part_traits::describe(add, compare.part().compare,
                            offset + detail::offset_of_member<Key>(compare.part().projection));
  }
};

// An order can be called wherever all of its parts can.

template <class Previous, class Part>
inline constexpr bool is_device_lambda_v<order_by<Previous, Part>> =
    is_device_lambda_v<Previous> || is_device_lambda_v<typename Part::projection_type> ||
    is_device_lambda_v<typename Part::compare_type>;

template <class Previous, class Part>
inline constexpr bool is_of_the_host_v<order_by<Previous, Part>> =
    is_of_the_host_v<Previous> || is_of_the_host_v<typename Part::projection_type> ||
    is_of_the_host_v<typename Part::compare_type>;

}  // namespace gpu::inline v1::detail
