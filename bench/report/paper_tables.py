"""The measurements of the two theses that gpupar follows, repeated in their form.

X. T. Nguyen, Development of parallel sorting algorithms for GPU: tables 5.2 and 5.3, speed-up over std::sort by size.
N. Leischner, GPU algorithms for comparison-based sorting and for merging based on multiway selection: figure 13,
merging by size, and figures 19 to 21, sample sort by distribution.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from .measures import UNIFORM, by_distribution
from .results import Case, Measurement, Run
from .table import value
from .text import MISSING, section, significant, size, table, words

SPEEDUP_COLUMNS = {
    "gpupar_bitonic": "bitonic",
    "gpupar_quicksort": "quicksort",
    "gpupar_sample_sort": "sample sort",
    "gpupar_merge_sort": "merge sort",
    "gpupar_radix": "radix",
    "gpupar": "gpu::sort",
    "thrust": "thrust",
    "cub_radix": "cub radix",
}
EXPONENTS = range(10, 26)

# Slugs of Leischner's distributions; those with a number of processors, p, end in it.
LEISCHNER = (
    UNIFORM,
    "gaussian",
    "bucket_sorted",
    "staggered",
    "g_group",
    "sorted",
    "deterministic_duplicates",
    "randomized_duplicates",
)
FIGURES = {
    "Figure 19: 32-bit keys": ("sort", "u32"),
    "Figure 20: 64-bit keys": ("sort", "u64"),
    "Figure 21: 32-bit keys with 32-bit values": ("sort_by_key", "u32+u32"),
}


def speedup_section(run: Run, title: str, distribution: str) -> str:
    """Rows 10 to 25 are log2 n, the second column std::sort's time in ms, the rest are speed-ups over it."""
    measured: dict[int, dict[str, Measurement]] = {}
    groups = run.groups()
    for exponent in EXPONENTS:
        contenders = groups.get(Case("sort", "i32", distribution, 2**exponent, "gpupar"), {})
        if "std" in contenders:
            measured[exponent] = contenders
    if not measured:
        return ""
    columns = [name for name in SPEEDUP_COLUMNS if any(name in contenders for contenders in measured.values())]
    rows = []
    for exponent, contenders in measured.items():
        baseline = contenders["std"].median
        speedups = [f"{baseline / contenders[name].median:.2f}" if name in contenders else MISSING for name in columns]
        rows.append([str(exponent), f"{baseline / 1e6:.3f}", *speedups])
    header = ["size", "std::sort, ms", *(SPEEDUP_COLUMNS[name] for name in columns)]
    return section(title, table(header, rows, left=0))


def chosen_slug(cases: Iterable[Case], wanted: str) -> str | None:
    """The slug that is `wanted` but for numbers behind it: that of most contenders, else p = 240, Leischner's."""
    found = Counter(c.distribution for c in cases if c.distribution.rstrip("_0123456789") == wanted)
    return max(found, key=lambda slug: (found[slug], "240" in slug.split("_")), default=None)


def by_distribution_section(run: Run, title: str, operation: str, type: str) -> str:
    """Gkeys/s at the largest n that was measured on a catalogue of distributions."""
    n = max((key.n for key in by_distribution(run) if (key.operation, key.type) == (operation, type)), default=None)
    if n is None:
        return ""
    at_n = [c for c in run.measurements if (c.operation, c.type, c.n) == (operation, type, n)]
    slugs = [slug for name in LEISCHNER if (slug := chosen_slug(at_n, name))]
    columns = contenders_on(at_n, slugs)
    rows = [
        [words(slug), *(value(run.get(Case(operation, type, slug, n, name))) for name in columns)] for slug in slugs
    ]
    return section(f"{title}, n = {size(n)}, Gkeys/s", table(["distribution", *columns], rows))


def contenders_on(cases: list[Case], slugs: list[str]) -> list[str]:
    """Those that were measured on more than uniform keys; ours first."""
    names = {c.contender for c in cases if c.distribution in slugs and c.distribution != UNIFORM}
    return sorted(names, key=lambda name: (not name.startswith("gpupar"), name))


def merging_section(run: Run) -> str:
    """Gkeys/s of merging two halves."""
    cases = [c for c in run.measurements if c.operation == "merge" and c.distribution == UNIFORM]
    columns = sorted({c.contender for c in cases}, key=lambda name: (not name.startswith("gpupar"), name))
    rows = []
    for type, n in sorted({(c.type, c.n) for c in cases}):
        figures = [run.get(Case("merge", type, UNIFORM, n, name)) for name in columns]
        rows.append([type, size(n), *(significant(m.keys_per_second / 1e9) if m else MISSING for m in figures)])
    title = "Figure 13: merging two sequences of keys alone, Gkeys/s"
    return section(title, table(["type", "n", *columns], rows)) if rows else ""


def paper_document(run: Run) -> str:
    """Empty if the run has none of it."""
    sections = [
        speedup_section(run, "Table 5.2: int, random", UNIFORM),
        speedup_section(run, "Table 5.3: int, staggered", "staggered_128"),
        merging_section(run),
        *(by_distribution_section(run, title, *where) for title, where in FIGURES.items()),
    ]
    found = [text for text in sections if text]
    if not found:
        return ""
    note = (
        "Tables 5.2 and 5.3 are those of X. T. Nguyen, *Development of parallel sorting algorithms for GPU*; figures "
        "13 and 19 to 21 those of N. Leischner, *GPU algorithms for comparison-based sorting and for merging based on "
        f"multiway selection*. The figures here are gpupar's, on {run.machine}. "
        "Sizes in the tables are exponents of 2. "
        "Staggered keys have p = 128 blocks in the tables, where the source names no number, and p = 240 in the "
        "figures, as in the source; groups have g = 4 blocks, in the source 8. Figure 13 is of keys with values there."
    )
    return "\n\n".join(["# The measurements of the sources, repeated", note, *found]) + "\n"
