"""The mutants: small wrong steps in the library, each of which some test must notice.

A mutant replaces one piece of text, which must occur exactly once in its file, by another. `test` names the smallest
test source that is meant to notice it, without its ending, below tests/.
"""

from dataclasses import dataclass

HOST = "include/gpu/detail/host/"
DEVICE = "include/gpu/detail/device/"
DETAIL = "include/gpu/detail/"


@dataclass(frozen=True)
class Mutant:
    name: str
    file: str
    old: str
    new: str
    test: str

    @property
    def on_device(self):
        return self.test.startswith("device_paths/")


def group(test, folder, *rows):
    return [Mutant(name, folder + file, old, new, test) for name, file, old, new in rows]


HOST_MUTANTS = [
    *group(
        "paths", HOST,
        ("exchange of numbers flipped", "element.hpp", "const bool swapped = less(y, x);",
         "const bool swapped = less(x, y);"),
        ("exchange of records takes equals", "element.hpp", "less(y.value, x.value)", "!less(x.value, y.value)"),
        ("elements stay in scratch", "element.hpp", "if (home != from) relocate(home + done",
         "if (home == from) relocate(home + done"),
        ("network joins runs too early", "network.hpp", "i / (2 * run) == (i + distance) / (2 * run)",
         "i / run == (i + distance) / run"),
        ("insertion passes equals", "network.hpp", "less(x.element(), std::as_const(*(x.hole() - 1)))",
         "!less(std::as_const(*(x.hole() - 1)), x.element())"),
        ("heap one too long", "introsort.hpp", "if (child + 1 < n && less(", "if (child + 1 <= n && less("),
        ("heap leaves the root", "introsort.hpp", "for (std::size_t root = n / 2; root > 0; --root)",
         "for (std::size_t root = n / 2; root > 1; --root)"),
        ("right part begins late", "introsort.hpp", "first += left + 1;", "first += left + 2;"),
        ("partition flipped", "introsort.hpp", "-> bool { return less(x, pivot); }",
         "-> bool { return less(pivot, x); }"),
        ("partition leaves the pivot", "introsort.hpp", "    exchange(first, left);\n", ""),
        ("parts forget the remainder", "parallel.hpp", "n / count * part + std::min(part, n % count)",
         "n / count * part"),
        ("reversal shifted", "parallel.hpp", "first + (n - 1 - i)", "first + (n - 2 - i)"),
        ("permutation reversed", "permute.hpp", "T(std::ranges::iter_move(first + static_cast<difference>(source(i))))",
         "T(std::ranges::iter_move(first + static_cast<difference>(source(n - 1 - i))))"),
        ("cycle followed too far", "permute.hpp", "      i = from;\n", "      i = start;\n"),
        ("last bucket holds equals", "distribute.hpp", "bucket + 1 != leaves && ", ""),
        ("scatter one place on", "distribute.hpp", "places[ids[i]]++", "++places[ids[i]]"),
        ("last bucket too short", "distribute.hpp", "bounds.begin[bounds.count] = place;",
         "bounds.begin[bounds.count] = place - 1;"),
        ("even buckets are finished", "distribute.hpp", "bucket % 2 == 1", "bucket % 2 == 0"),
        ("tree and splitters disagree", "distribute.hpp", "<< (levels_ - level - 1)) - 1)",
         "<< (levels_ - level - 1)) - 0)"),
        ("unfinished buckets are left", "quicksort.hpp", "if (buckets.finished(bucket)) return;",
         "if (!buckets.finished(bucket)) return;"),
        ("reversal of equals", "sorted.hpp", "return !less(a, b);", "return less(b, a);"),
        ("first descent overlooked", "sorted.hpp", "first_descent(first, 1, probe, less)",
         "first_descent(first, 2, probe, less)"),
        ("later descent wins", "sorted.hpp", "while (descent < known &&", "while (descent > known &&"),
        ("merge steps too many", "merge_compact.hpp", "std::min(a_count(), b_count())",
         "std::max(a_count(), b_count())"),
        ("merge finds order in disorder", "merge_compact.hpp", "!less(b[0], a[a_count - 1])", "!less(a[a_count - 1], b[0])"),
        ("first runs half sorted", "merge_sort.hpp", "c = 2 - ca - cb + dc", "c = 2 - ca - cb - dc"),
        ("last run cut", "merge_sort.hpp", "std::min(begin + 2 * run, n)", "std::min(begin + 2 * run, n - 1)"),
        ("result left in scratch", "merge_sort.hpp", "if (from != first) parallel_relocate<Tuning>(first, from, n);",
         ""),
        ("homecoming from the old level", "merge_sort.hpp", "    guard.from = from;\n", ""),
        ("ties by the wrong sequence", "multiway_selection.hpp", "s < longest, less", "s > longest, less"),
        ("tournament prefers later sequences", "multiway_merge.hpp", "return a < b ? !less_",
         "return a > b ? !less_"),
        ("tournament skips a match", "multiway_merge.hpp", "(leaves_ + winner_) / 2", "(leaves_ + winner_) / 4"),
        ("selection takes the middle twice", "multiway_selection.hpp", "low[longest] = middle + 1;",
         "low[longest] = middle + (middle + 1 < high[longest]) * 1 + (middle + 1 == high[longest]) * 2;"),
        ("window takes equals of later sequences", "multiway_merge.hpp", "s < first ? !less", "s != first ? !less"),
        ("window of the wrong pivot", "multiway_merge.hpp", "less(pivot_of(s), pivot_of(first))",
         "less(pivot_of(first), pivot_of(s))"),
        ("finished buckets left behind", "sample_sort.hpp",
         "if (wanted != there) relocate(wanted + begin, there + begin, size);", ""),
        ("bucket answered for twice", "sample_sort.hpp", "    guard.done = begin + size;  // the call", "    // the call"),
        ("network beyond the end", "bitonic_sort.hpp", "std::max(offset, size - present)", "offset"),
        ("half-cleaner too short", "bitonic_sort.hpp", "present > half ? present - half : 0",
         "present > half + 1 ? present - half - 1 : 0"),
        ("no mirrored step", "bitonic_sort.hpp", "whole_merges && width == size}", "false}"),
    ),
    *group(
        "paths", DETAIL,
        ("merge path takes equals of the second", "merge_path.hpp", "less(b[diagonal - 1 - middle], a[middle])",
         "!less(a[middle], b[diagonal - 1 - middle])"),
        ("merge path leaves the second sequence", "merge_path.hpp",
         "diagonal > b_count ? diagonal - b_count : Index{0}", "diagonal > b_count ? diagonal - b_count - 1 : Index{0}"),
    ),
    *group(
        "radix", "src/host/",
        ("differing bits forgotten", "codes.hpp", "common & codes[i]", "common | codes[i]"),
        ("varying bits misjudged", "codes.hpp", "static_cast<Code>(set ^ common)", "static_cast<Code>(set & common)"),
        ("digits of use are skipped", "codes.hpp", "digit_of(*from, shift)] == n) continue;",
         "digit_of(*from, shift)] != n) continue;"),
        ("elements out of place are kept", "nearly_sorted.hpp", "if (!(first[i] < first[kept - 1])) {",
         "if (!(first[i] < first[0])) {"),
        ("dropped elements lost", "nearly_sorted.hpp", "      relocate(first + kept, dropped, drops);\n", ""),
        ("recent drops forgotten", "nearly_sorted.hpp", "      i -= recent;\n", ""),
        ("low bits left unsorted", "codes.hpp", "if (!window.complete) sort_groups(", "if (window.complete) sort_groups("),
    ),
    *group(
        "hostile", HOST,
        ("never heap sort", "introsort.hpp", "if (bad_allowed == 0) return", "if (bad_allowed == ~n) return"),
        ("buckets not taken home after a throw", "distribute.hpp", "if (!home_[bucket]) take_home(bucket);",
         "if (home_[bucket]) take_home(bucket);"),
        ("elements of a contradiction lost", "merge_sort.hpp", "!= all_places) return", "> all_places) return"),
        ("both ends of a merge cross", "merge_compact.hpp", "rest.shorter() / 2) >=", "rest.shorter()) >="),
        ("crooked path", "merge.hpp", "std::clamp(cuts[i], cuts[i - 1], cuts[i - 1] + (parts.begin(i) - parts.begin(i - 1)))",
         "cuts[i]"),
        ("crossing selections", "multiway_merge.hpp", "std::max(cuts[i], cuts[i - k])", "cuts[i]"),
        ("level lost after a throw", "merge_sort.hpp", "if (from != first) relocate(first, from, n);  // a level", "// a level"),
    ),
    *group(
        "failures", HOST,
        ("no room to count", "distribute.hpp", "if (!counts) return", "if (counts.size() > n) return"),
        ("no room for cuts", "merge_sort.hpp", "if (!cuts) return", "if (cuts.size() > n) return"),
        ("no room for buckets", "quicksort.hpp", "if (!scratch || !ids) return", "if (!scratch) return"),
    ),
    *group(
        "strings", DETAIL,
        ("prefixes the wrong way round", "few.hpp", "left != right ? left < right :", "left != right ? left > right :"),
        ("a cycle of places left open", "few.hpp", "    first[hole] = std::move(held);\n", ""),
    ),
    *group(
        "codes", DETAIL,
        ("decoding looks at the wrong side", "key.hpp", "static_cast<Bits>(~top(turned))",
         "static_cast<Bits>(top(turned))"),
        ("NaNs differ", "key.hpp", "    if (ascending > first_nan) ascending = first_nan;\n", ""),
        ("zeros differ", "key.hpp", "ascending = static_cast<Bits>(negative_zero + 1);", "ascending = negative_zero;"),
        ("one negative NaN too many", "key.hpp", "(Bits{1} << format.mantissa_bits) - 1);  // NaNs",
         "(Bits{1} << format.mantissa_bits));  // NaNs"),
        ("descending is ascending", "key.hpp", "codec.invert = static_cast<Bits>(~Bits{0});",
         "codec.invert = Bits{0};"),
        ("sign of unsigned keys flipped", "key.hpp", "if (format.kind != key_class::unsigned_integer)",
         "if (format.kind == key_class::unsigned_integer)"),
        ("infinity is a NaN", "key.hpp", "static_cast<Bits>(codec.encode(infinity) + 1)",
         "static_cast<Bits>(codec.encode(infinity))"),
    ),
    *group(
        "merge", DETAIL,
        ("merge of objects takes equals of the second", "host/merge.hpp", "if (less(from_b[j], from_a[i])) {",
         "if (!less(from_a[i], from_b[j])) {"),
        ("merge order flipped", "merge.hpp",
         "return compared(compare, call(projection_b, b), call(projection_a, a));",
         "return compared(compare, call(projection_a, a), call(projection_b, b));"),
    ),
    *group(
        "errors", DETAIL,
        ("backward ranges accepted", "dispatch.hpp", "if (distance < 0)", "if (distance < -9)"),
        ("short null ranges accepted", "dispatch.hpp", "data == nullptr && count > 0", "data == nullptr && count > 3"),
        ("overlap of one element accepted", "merge.hpp", "in < out + output_bytes &&", "in + 4 < out + output_bytes &&"),
    ),
    *group(
        "errors", "src/",
        ("bitonic passes for stable", "plan.cpp", "(forced == algorithm::bitonic || forced == algorithm::quicksort)",
         "forced == algorithm::quicksort"),
        ("radix passes for any order", "plan.cpp", "forced == algorithm::radix && work.key.bytes == 0",
         "forced == algorithm::radix && work.key.bytes > 99"),
    ),
]

DEVICE_MUTANTS = [
    *group(
        "device_paths/bitonic", DEVICE,
        ("flip without a mirror", "bitonic_sort.cuh", "stride - 1 - offset", "offset"),
        ("decoded too early", "bitonic_sort.cuh", "tiles.blocks == 1 ? codec : Codec{}", "codec"),
        ("never decoded", "bitonic_sort.cuh", "2 * run >= n ? codec : Codec{}", "Codec{}"),
        ("one comparator beyond the end", "bitonic_sort.cuh", "if (high < n && compare(high, low))",
         "if (high <= n && compare(high, low))"),
        ("largest step left out", "bitonic_sort.cuh", "group > indexed_tile; group /= 2",
         "group > 2 * indexed_tile; group /= 2"),
        ("barrier between steps dropped", "bitonic_sort.cuh", "      __syncthreads();\n      indexed_exchange",
         "      indexed_exchange"),
        ("elements in registers go unsorted", "block/bitonic_sort.cuh", "clean_in_thread(Items / 2, less);",
         "clean_in_thread(Items / 4, less);"),
        ("flip in order", "block/bitonic_sort.cuh", "Flip ? Items - 1 - i : i) : first_ + i",
         "i) : first_ + i"),
        ("pairs compared backwards", "thread/sort.cuh", "if (less(second_key, first_key))",
         "if (less(first_key, second_key))"),
    ),
    *group(
        "device_paths/quicksort", DEVICE,
        ("bucket one place on", "quicksort.cuh", "unsigned long long next = divided.begin + sums[i];",
         "unsigned long long next = divided.begin + sums[i] + 1;"),
        ("last bucket too short", "quicksort.cuh", "starts.start[divided.buckets] = divided.count;",
         "starts.start[divided.buckets] = divided.count - 1;"),
        ("rank not added to the slot", "block/distribute.cuh",
         "slot_[i] = shared_.start[bucket] + (slot_[i] & 0xffffu);", "slot_[i] = shared_.start[bucket];"),
        ("counters not cleared before use", "block/distribute.cuh",
         "shared_.start[b] = 0;\n    __syncthreads();", "shared_.start[b] = 1;\n    __syncthreads();"),
        ("last slot not written", "block/distribute.cuh", "slot = threadIdx.x; slot < count_; slot += Threads",
         "slot = threadIdx.x; slot + 1 < count_; slot += Threads"),
        ("leaf in the wrong array", "segments.cuh", "{begin, count, round % 2 == 0, false}",
         "{begin, count, round % 2 != 0, false}"),
        ("job one element short", "segments.cuh", "end{min(begin + division.plan.piece, of.begin + of.count)}",
         "end{min(begin + division.plan.piece, of.begin + of.count - 1)}"),
        ("bins rounded down", "block/bin_sort.cuh", "largest <= window ||", "true ||"),
        ("seams between warps forgotten", "block/bin_sort.cuh", "    trade_across_seams(n, rounds);\n", ""),
        ("rank is not added", "block/bin_sort.cuh", "counts[places[i] >> 16] + (places[i] & 0xffffu)",
         "counts[places[i] >> 16]"),
        ("odd pairs forgotten", "block/bin_sort.cuh", "for (int i = 1; i + 1 < Items; i += 2) order",
         "for (int i = 1; i + 2 < Items; i += 2) order"),
    ),
    *group(
        "device_paths/sample_sort", DEVICE,
        ("places of another segment", "sample_sort.cuh", " - entries[part.of.first_entry]", ""),
        ("tiles overwrite each other", "sample_sort.cuh", "next[b % per_thread] += taken;", ""),
        ("inclusive sum left out", "scan.cuh", "(inclusive & ((1u << lane) - 1)) == 0",
         "(inclusive & ((2u << lane) - 1)) == 0"),
        ("lanes line up backwards", "block/distribute.cuh",
         "const unsigned ahead = __popc(alike & ((1u << lane) - 1));\n      if (valid",
         "const unsigned ahead = __popc(alike & ~((2u << lane) - 1));\n      if (valid"),
        ("warps do not line up", "block/distribute.cuh",
         "shared_.warp_counts[w][b] = static_cast<std::uint16_t>(sum);", "shared_.warp_counts[w][b] = 0;"),
    ),
    *group(
        "device_paths/merge_sort", DEVICE,
        ("cut of the tile itself", "merge.cuh", "cut_at(diagonal + n, blockIdx.x + 1)",
         "cut_at(diagonal + n, blockIdx.x)"),
        ("diagonal of the whole", "merge.cuh", "begin - pair.begin, less)", "begin, less)"),
        ("run too short", "merge_sort.cuh", "n - begin < run ? n : begin + run", "n - begin < run ? n : begin + run - 1"),
        ("second part shifted", "block/merge.cuh", "runs.middle + diagonal - cut, runs.end",
         "runs.middle + diagonal - cut + 1, runs.end"),
        ("equals of the second run first", "thread/merge.cuh", "less(b_key_, a_key_))", "!less(a_key_, b_key_))"),
        ("rounds of a thread cut short", "thread/sort.cuh", "round < Items; round += 2", "round < Items - 2; round += 2"),
        ("barrier after a load dropped", "merge.cuh", "encoder);\n  __syncthreads();\n  Key keys", "encoder);\n  Key keys"),
        ("barrier before a merge dropped", "block/merge_sort.cuh", "      synchronize(threads);\n", ""),
    ),
    *group(
        "device_paths/multiway_merge", DEVICE,
        ("ties by the wrong sequence", "multiway_selection.cuh", "s < at.sequence, less)",
         "s > at.sequence, less)"),
        ("equals of the pivot counted", "multiway_selection.cuh",
         "ties ? !less(pivot, keys[middle])", "!ties ? !less(pivot, keys[middle])"),
        ("bounds start anew in every warp", "multiway_merge.cuh", "before += __shfl_sync(warp::all_lanes, sum",
         "before = __shfl_sync(warp::all_lanes, sum"),
        ("passes end in scratch", "multiway_merge.cuh", "passes % 2 != 0 ? output", "passes % 2 == 0 ? output"),
        ("pair's middle is its end", "block/multiway_merge.cuh", "next.begin, next.middle, next.middle, next.end",
         "next.begin, next.middle, next.end, next.end"),
    ),
    *group(
        "device_paths/radix_sort", DEVICE,
        ("digit of nine bits", "radix_pass.cuh", "rank >> (8 * pass)", "rank >> (8 * pass + 1)"),
        ("sum of two bits less", "radix_pass.cuh", "total += word >> 2;", "total += word >> 3;"),
        ("result stays in scratch", "radix_sort.cuh", "if (!result->from_buffer) return;", "return;"),
        ("pass skipped for one odd key", "radix_sort.cuh", "__syncthreads_or(count == n ||",
         "__syncthreads_or(count + 1 >= n ||"),
        ("counts of a warp narrowed", "block/distribute.cuh", "std::uint16_t* counts = shared_.warp_counts[threadIdx.x / 32];",
         "std::uint8_t* counts = reinterpret_cast<std::uint8_t*>(shared_.warp_counts[threadIdx.x / 32]);"),
    ),
    *group(
        "device_paths/counting_sort", DEVICE,
        ("code begins one place late", "counting_sort.cuh", "starts[code + 1] <= i) ++code;",
         "starts[code + 1] < i) ++code;"),
        ("last whole quad not counted", "counting_sort.cuh", "quad > 0 && quad + 1 < count", "quad > 0 && quad + 2 < count"),
        ("code of a place searched too low", "counting_sort.cuh", "if (starts[middle] <= place)",
         "if (starts[middle] < place)"),
    ),
]

MUTANTS = HOST_MUTANTS + DEVICE_MUTANTS
