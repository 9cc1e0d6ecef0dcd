#include "combination.hpp"

#include "gpu/plan.hpp"

namespace testing {
namespace {

constexpr const char* task_names[] = {"sort",  "stable_sort",   "sort_by_key",    "argsort",
                                      "merge", "inplace_merge", "multiway_merge", "is_sorted_until"};
constexpr const char* order_names[] = {"ascending", "descending", "custom order"};

/// Whether the algorithm may be forced for the task.
bool suits(gpu::algorithm how, task what, order along) {
  const bool stable = what == task::stable_sort || what == task::sort_by_key || what == task::argsort;
  if (how == gpu::algorithm::radix) return along != order::custom;
  return !stable || (how != gpu::algorithm::bitonic && how != gpu::algorithm::quicksort);
}

}  // namespace

combination combination::from(std::uint64_t what, std::uint64_t along, std::uint64_t how, std::uint64_t cut) {
  combination made;
  made.what = static_cast<task>(what % tasks);
  made.along = static_cast<order>(along % 3);
  made.how = static_cast<gpu::algorithm>(how % 6);
  made.cut = cut;
  if (!suits(made.how, made.what, made.along)) made.how = gpu::algorithm::automatic;
  return made;
}

std::string combination::name() const {
  return std::string{task_names[static_cast<int>(what)]} + ", " + order_names[static_cast<int>(along)] + ", " +
         std::string{gpu::to_string(how)};
}

}  // namespace testing
