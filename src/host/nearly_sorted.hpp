// Sorting codes few of which are out of place: these are taken out, sorted and merged back. After Ernerfeldt's
// "drop-merge sort" (2016); equal codes are identical, so it makes no difference which of them is taken out.
#pragma once

#include <gpu/detail/host/element.hpp>

#include <cstddef>

namespace gpu::inline v1::detail::host {

/// Moves elements from first[0, n), n > 0, to `dropped` so that the others, which move up to the front of the range,
/// are sorted. Returns the number moved. If it would exceed `most`, or is too large a share of the elements seen so
/// far, gives up: returns `most` + 1, with every element in the range in some order. O(n).
template <class Code>
std::size_t drop_displaced(Code* first, std::size_t n, Code* dropped, std::size_t most) {
  constexpr std::size_t recent = 8;  // after so many drops in a row, the element before them must be the displaced one
  constexpr std::size_t grace = 16;
  std::size_t kept = 1;  // kept + drops == i, and first[kept, i) is as it was
  std::size_t drops = 0;
  std::size_t in_a_row = 0;
  for (std::size_t i = 1; i < n;) {
    if (!(first[i] < first[kept - 1])) {
      first[kept++] = first[i++];
      in_a_row = 0;
    } else if (drops == most || drops > i / 4 + grace) {
      relocate(first + kept, dropped, drops);
      return most + 1;
    } else if (in_a_row == 0 && kept > 1 && !(first[i] < first[kept - 2])) {
      dropped[drops++] = first[kept - 1];
      first[kept - 1] = first[i++];
    } else if (in_a_row < recent) {
      dropped[drops++] = first[i++];
      ++in_a_row;
    } else {
      i -= recent;
      drops -= recent;
      dropped[drops++] = first[--kept];
      if (kept == 0) first[kept++] = first[i++];
      in_a_row = 0;
    }
  }
  return drops;
}

template <class Code>
std::size_t count_descents(const Code* first, std::size_t n) {
  std::size_t descents = 0;
  for (std::size_t i = 1; i < n; ++i) descents += first[i] < first[i - 1];
  return descents;
}

/// Whether a few stretches of first[0, n) have few descents: quickly rules out sequences on which drop_displaced()
/// might give up only after most of the range.
template <class Code>
bool looks_nearly_sorted(const Code* first, std::size_t n) {
  constexpr std::size_t stretches = 32;
  constexpr std::size_t length = 16;
  std::size_t descents = 0;
  for (std::size_t stretch = 0; stretch < stretches; ++stretch)
    descents += count_descents(first + (n - length) / (stretches - 1) * stretch, length);
  return descents < stretches * length / 8;
}

/// Sorts first[0, n) by insertion if elements are only a few steps from where they belong; stable. Returns false, with
/// no element lost, as soon as the steps become too many, so that the work stays O(n).
template <class Code>
bool sort_by_few_steps(Code* first, std::size_t n) {
  constexpr std::size_t grace = 32;
  std::size_t steps = 0;
  for (std::size_t i = 1; i < n; ++i) {
    if (!(first[i] < first[i - 1])) continue;
    const Code x = first[i];
    std::size_t hole = i;
    for (; hole != 0 && x < first[hole - 1]; --hole) first[hole] = first[hole - 1];
    first[hole] = x;
    steps += i - hole;
    if (steps > 2 * i + grace) return false;
  }
  return true;
}

/// Merges sorted first[0, n - more) and added[0, more) to first[0, n), from the back.
template <class Code>
void merge_into(Code* first, std::size_t n, const Code* added, std::size_t more) {
  for (std::size_t kept = n - more; more != 0; --more) {
    const Code x = added[more - 1];
    for (; kept != 0 && x < first[kept - 1]; --kept) first[kept + more - 1] = first[kept - 1];
    first[kept + more - 1] = x;
  }
}

/// Sorts first[0, n), n > 0, if few elements are out of place, by sort(elements, count, room) of these; a short
/// sequence also if no element is far from where it belongs. `scratch` has room for n elements. Otherwise returns
/// false, with the elements in some order.
template <class Code, class Sort>
bool sort_nearly_sorted(Code* first, std::size_t n, Code* scratch, const Sort& sort) {
  constexpr std::size_t few = 1024;
  const std::size_t most = n / 8;
  if (n >= few) {
    if (!looks_nearly_sorted(first, n)) return false;
  } else if (const std::size_t descents = count_descents(first, n); descents > most) {
    return descents < 3 * most && sort_by_few_steps(first, n);
  }
  const std::size_t drops = drop_displaced(first, n, scratch, most);
  if (drops > most) return false;
  sort(scratch, drops, scratch + drops);
  merge_into(first, n, scratch, drops);
  return true;
}

}  // namespace gpu::inline v1::detail::host
