// gpupar with the host required: every operation, with the algorithms it chooses and with each one forced.
#include <gpu/algorithm.hpp>

#include <span>
#include <utility>

#include "gpupar_calls.hpp"

namespace bench {
namespace {

template <class T>
using host_view = std::span<T>;

template <class Key, class Value>
outcome sort_indexed(Key* keys, Value* values, std::size_t n) {
  gpu::sort_indexed(
      gpu::par.require_host(), std::size_t{0}, n, [=](std::size_t i, std::size_t j) { return keys[i] < keys[j]; },
      [=](std::size_t i, std::size_t j) {
        std::swap(keys[i], keys[j]);
        std::swap(values[i], values[j]);
      });
  return {keys, values};
}

template <class Element>
outcome run(const problem& asked, gpu::algorithm how, const arrays& on) {
  using key = typename Element::key_type;
  const auto policy = gpu::par.require_host().using_algorithm(how);
  if constexpr (Element::has_values) {
    if (asked.what == operation::sort_indexed)
      return sort_indexed(static_cast<key*>(on.keys), static_cast<typename Element::value_type*>(on.values), asked.n);
    return call_pairs<host_view, key, typename Element::value_type>(asked, policy, on);
  } else if constexpr (is_string_v<key>) {
    gpu::sort(policy, host_view<key>{static_cast<key*>(on.keys), asked.n});
    return {on.keys, nullptr};
  } else if constexpr (std::is_same_v<key, owner>) {
    gpu::sort(policy, host_view<key>{static_cast<key*>(on.keys), asked.n}, {}, &owner::key);
    return {on.keys, nullptr};
  } else if constexpr (has_parts_v<key>) {
    return call_parts<host_view, key>(asked, policy, on);
  } else if constexpr (!std::is_arithmetic_v<key>) {
    return call_comparator<host_view, key>(asked, policy, on);
  } else {
    if (is_selection(asked.what)) return call_selection<host_view, key>(asked, policy, on);
    if (asked.what == operation::sort_comparator) return call_comparator<host_view, key>(asked, policy, on);
    return call_keys<host_view, key>(asked, policy, on);
  }
}

using elements =
    element_list<element<std::uint32_t>, element<std::uint64_t>, element<std::int32_t>, element<double>, element<u32x2>,
                 element<record<16>>, element<record100>, element<std::string>, element<std::string_view>,
                 element<owner>, element<std::uint32_t, std::uint32_t>, element<std::uint64_t, std::uint64_t>>;

preparation offer(const problem& asked, gpu::algorithm how) {
  if (is_segmented(asked.what) || asked.what == operation::gather ||
      (how != gpu::algorithm::automatic && !may_force(asked.what)))
    return {};
  return with_element<preparation>(asked.element(), elements{}, [&](auto e) -> preparation {
    using chosen = decltype(e);
    if (!is_asked_of<typename chosen::key_type>(asked.what)) return {};
    return [asked, how] {
      return prepared{
          [asked, how](const arrays& on) { return run<chosen>(asked, how, on); }, {}, !is_selection(asked.what)};
    };
  });
}

[[maybe_unused]] const auto gpupar = add_every_algorithm(false, offer);

}  // namespace
}  // namespace bench
