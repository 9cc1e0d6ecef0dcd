// Prints the layouts of the types that cross the boundary between programs and the shared library: size and alignment,
// for aggregates also the offsets of the members, regardless of their names, and for enumerations the values.
#include <gpu/algorithm.hpp>
#include <gpu/detail/boundary/gather_request.hpp>
#include <gpu/detail/boundary/request.hpp>
#include <gpu/detail/boundary/texts.hpp>
#include <gpu/detail/sample_key.hpp>

#include <cstddef>
#include <initializer_list>
#include <iostream>
#include <string_view>
#include <utility>

namespace {

// Initializes any member.
struct anything {
  template <class T>
  operator T() const;
};

template <class T, std::size_t... Indices>
constexpr bool has_members(std::index_sequence<Indices...>) {
  return requires { T{(static_cast<void>(Indices), anything{})...}; };
}

template <class T, std::size_t Count = 1>
constexpr std::size_t member_count() {
  static_assert(Count <= 12, "more members than visit() knows");
  if constexpr (has_members<T>(std::make_index_sequence<Count + 1>{}))
    return member_count<T, Count + 1>();
  else
    return Count;
}

// Calls visit(member) for each member of an aggregate.
template <class T, class Visit>
void for_each_member(const T& all, const Visit& visit) {
  const auto each = [&](const auto&... members) { (visit(members), ...); };
  constexpr std::size_t count = member_count<T>();
  if constexpr (count == 1) {
    const auto& [a] = all;
    each(a);
  } else if constexpr (count == 2) {
    const auto& [a, b] = all;
    each(a, b);
  } else if constexpr (count == 3) {
    const auto& [a, b, c] = all;
    each(a, b, c);
  } else if constexpr (count == 4) {
    const auto& [a, b, c, d] = all;
    each(a, b, c, d);
  } else if constexpr (count == 5) {
    const auto& [a, b, c, d, e] = all;
    each(a, b, c, d, e);
  } else if constexpr (count == 6) {
    const auto& [a, b, c, d, e, f] = all;
    each(a, b, c, d, e, f);
  } else if constexpr (count == 7) {
    const auto& [a, b, c, d, e, f, g] = all;
    each(a, b, c, d, e, f, g);
  } else if constexpr (count == 8) {
    const auto& [a, b, c, d, e, f, g, h] = all;
    each(a, b, c, d, e, f, g, h);
  } else if constexpr (count == 9) {
    const auto& [a, b, c, d, e, f, g, h, i] = all;
    each(a, b, c, d, e, f, g, h, i);
  } else if constexpr (count == 10) {
    const auto& [a, b, c, d, e, f, g, h, i, j] = all;
    each(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (count == 11) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k] = all;
    each(a, b, c, d, e, f, g, h, i, j, k);
  } else {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l] = all;
    each(a, b, c, d, e, f, g, h, i, j, k, l);
  }
}

template <class T>
void print_size(std::string_view name) {
  std::cout << name << ": " << sizeof(T) << " bytes, aligned to " << alignof(T);
}

template <class T>
void print_opaque(std::string_view name) {
  print_size<T>(name);
  std::cout << '\n';
}

// Prints each member as offset+size.
template <class T>
void print_aggregate(std::string_view name) {
  print_size<T>(name);
  const T value{};
  const auto* begin = reinterpret_cast<const std::byte*>(&value);
  std::cout << ':';
  for_each_member(value, [&]<class Member>(const Member& member) {
    std::cout << ' ' << reinterpret_cast<const std::byte*>(&member) - begin << '+' << sizeof(Member);
  });
  std::cout << '\n';
}

template <class Enum>
void print_values(std::string_view name, std::initializer_list<Enum> values) {
  std::cout << name << ": " << sizeof(Enum) << " bytes:";
  for (const Enum value : values) std::cout << ' ' << static_cast<int>(value);
  std::cout << '\n';
}

}  // namespace

int main() {
  using namespace gpu;
  using namespace gpu::detail;
  print_values("algorithm", {algorithm::automatic, algorithm::bitonic, algorithm::quicksort, algorithm::sample_sort,
                             algorithm::merge_sort, algorithm::radix});
  print_values("backend", {backend::host, backend::device});
  print_values("errc", {errc::no_device, errc::host_unreachable, errc::device_unsupported, errc::unsuitable_algorithm,
                        errc::invalid_range, errc::overlapping_ranges, errc::rank_failed, errc::ranks_disagree});
  print_values("placement", {placement::anywhere, placement::device_only, placement::host_only});
  print_values("memory_kind", {memory_kind::pageable, memory_kind::pinned, memory_kind::managed, memory_kind::device});
  print_values("device_way",
               {device_way::none, device_way::keys_by_index, device_way::precompiled, device_way::instantiated});
  print_values("operation", {operation::sort,
                             operation::stable_sort,
                             operation::sort_by_key,
                             operation::stable_sort_by_key,
                             operation::argsort,
                             operation::merge,
                             operation::inplace_merge,
                             operation::merge_by_key,
                             operation::multiway_merge,
                             operation::sorted_prefix,
                             operation::sort_indexed,
                             operation::segmented_sort,
                             operation::segmented_stable_sort,
                             operation::segmented_sort_by_key,
                             operation::segmented_stable_sort_by_key,
                             operation::segmented_argsort,
                             operation::segmented_top_k,
                             operation::nth_element,
                             operation::partial_sort,
                             operation::partial_sort_copy,
                             operation::top_k,
                             operation::arg_top_k,
                             operation::top_k_by_key,
                             operation::gather,
                             operation::permute});
  print_opaque<error>("error");
  print_opaque<memory_resource>("memory_resource");
  print_opaque<function_ref<void(std::size_t)>>("function_ref");
  print_aggregate<argsort_request>("argsort_request");
  print_aggregate<column>("column");
  print_aggregate<execution_options>("execution_options");
  print_aggregate<key_format>("key_format");
  print_aggregate<key_part>("key_part");
  print_aggregate<keyed_elements>("keyed_elements");
  print_aggregate<location>("location");
  print_aggregate<merge_data>("merge_data");
  print_aggregate<merge_input>("merge_input");
  print_aggregate<merge_request>("merge_request");
  print_aggregate<partition_request>("partition_request");
  print_aggregate<plan>("plan");
  print_aggregate<progress_listener>("progress_listener");
  print_aggregate<sample_key>("sample_key");
  print_aggregate<row_indices>("row_indices");
  print_aggregate<selection_request>("selection_request");
  print_aggregate<sort_request>("sort_request");
  print_aggregate<text>("text");
  print_aggregate<text_request>("text_request");
  print_aggregate<workload>("workload");
}
