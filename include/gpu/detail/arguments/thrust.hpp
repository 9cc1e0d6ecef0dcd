// Thrust's pointers and iterators, recognised by name and shape, so that its headers need not be included here: a
// caller that passes one has included them. Thrust's pointers and the iterators of its vectors refer to contiguous
// elements and are replaced by the raw pointer they wrap; other iterators to the device (a zip, a transformation)
// cannot be handled.
#pragma once

#include <concepts>
#include <iterator>
#include <ranges>
#include <string_view>
#include <type_traits>
#include <utility>

namespace gpu::inline v1::detail {

/// The name of a type as the compiler writes it. Lets the headers recognise types of other libraries without including
/// them.
template <class T>
constexpr std::string_view type_name() {
  const std::string_view text = __PRETTY_FUNCTION__;
  const auto at = text.rfind("T = ") != text.npos ? text.rfind("T = ") + 4 : text.rfind("T=") + 2;
  return text.substr(at);
}

/// Whether T is an instance of thrust::detail::normal_iterator, in whatever namespaces Thrust is wrapped.
template <class T>
constexpr bool is_named_normal_iterator() {
  const std::string_view type = detail::type_name<T>();
  const std::string_view name = type.substr(0, type.find('<'));
  return name.find("thrust::") != name.npos && name.ends_with("::normal_iterator");
}

/// thrust::device_ptr, universal_ptr and similar types.
template <class Pointer>
concept thrust_pointer = std::is_class_v<Pointer> && requires(const Pointer& pointer) {
  typename Pointer::raw_pointer;
  requires std::is_object_v<std::remove_pointer_t<typename Pointer::raw_pointer>>;
  { pointer.get() } -> std::same_as<typename Pointer::raw_pointer>;
};

/// The iterators of thrust::device_vector, universal_vector and host_vector.
template <class Iterator>
concept thrust_vector_iterator = std::is_class_v<Iterator> && requires(const Iterator& it) {
  it.base();
  requires detail::is_named_normal_iterator<Iterator>();
};

template <class Iterator>
concept wraps_pointer = thrust_pointer<Iterator> || thrust_vector_iterator<Iterator>;

/// The raw pointer that an iterator wraps.
template <class Iterator>
constexpr auto unwrap(const Iterator& it) {
  if constexpr (thrust_vector_iterator<Iterator>)
    return detail::unwrap(it.base());
  else if constexpr (thrust_pointer<Iterator>)
    return it.get();
  else
    return it;
}

template <class Iterator>
struct plain_iterator {
  using type = Iterator;
};
template <wraps_pointer Iterator>
struct plain_iterator<Iterator> {
  using type = decltype(detail::unwrap(std::declval<const Iterator&>()));
};
/// The plain iterator by which the library determines the properties of elements: the pointer that an iterator wraps,
/// or the iterator itself.
template <class Iterator>
using plain_iterator_t = typename plain_iterator<Iterator>::type;

/// Whether the type of an iterator shows that it belongs to Thrust's CUDA system, or refers to an element there.
template <class Iterator>
constexpr bool is_on_device() {
  using reference = decltype(*std::declval<Iterator&>());
  if constexpr (!std::is_class_v<Iterator> || std::is_lvalue_reference_v<reference>)
    return false;
  else if constexpr (std::is_class_v<reference>)
    if (detail::type_name<reference>().find("::device_reference<") != std::string_view::npos) return true;
  if constexpr (requires { typename std::iterator_traits<Iterator>::iterator_category; })
    return detail::type_name<typename std::iterator_traits<Iterator>::iterator_category>().find("::cuda_cub::tag") !=
           std::string_view::npos;
  return false;
}

/// The iterator type of a range; an iterator type itself.
template <class Elements>
struct iterator_over {
  using type = Elements;
};
template <std::ranges::range Elements>
struct iterator_over<Elements> {
  using type = std::ranges::iterator_t<Elements>;
};

template <class Elements>
concept dereferenced_on_device = requires(typename iterator_over<Elements>::type& it) {
  *it;
  requires detail::is_on_device<typename iterator_over<Elements>::type>();
};

/// Elements that are in device memory according to the type of their iterator or range.
template <class Elements>
concept typed_device_elements =
    dereferenced_on_device<Elements> && wraps_pointer<typename iterator_over<Elements>::type>;

/// Elements on the device that are not behind a plain pointer: neither kernels nor the host can sort them.
template <class Elements>
concept fancy_device_elements =
    dereferenced_on_device<Elements> && !wraps_pointer<typename iterator_over<Elements>::type>;

}  // namespace gpu::inline v1::detail
