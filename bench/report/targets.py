"""What must be reached, as data: ratios on one H200, at n = 2^28 unless said, on uniform keys unless said."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .kinds import FewerTakeLonger, LeastOfKinds, LeastOverSizes, MeanOfKinds, SlowestKind, SteepestStep
from .measures import (
    CallOverConstant,
    Extreme,
    Figure,
    Measure,
    OverConstant,
    OverPeer,
    ScratchPerElement,
    SlowestDistribution,
    TimeOver,
    case,
)
from .results import Run
from .text import size, words

MET, AIM, MISSED, NOT_MEASURED = "met", "met, and the aim", "missed", "not measured"

LARGE = 2**28
MIDDLE = 2**18  # one launch sorts them
SORTS = ("sort", "stable_sort", "sort_comparator", "sort_by_key", "stable_sort_by_key")

# Gkeys/s of peers that are not part of a run: measured on an H200, 2026-11-21, under the same conditions (CUDA 13.0,
# uniform keys on the device, medians of CUDA events). libcusort is the fastest open radix sort for narrow keys; TNL's
# bitonic sort is that of table 5.2; the quicksort of Manca et al. stops at 2^26.
LIBCUSORT = {"u8": 255.0, "u16": 123.0}
TNL_BITONIC = {2**16: 0.59, 2**20: 2.1, 2**24: 1.8, 2**28: 1.3}
MANCA_QUICKSORT = {2**16: 0.11, 2**20: 0.84, 2**24: 3.9, 2**26: 5.2}
THRUST_CALL = 23.0  # us: thrust::sort of up to 4096 keys, measured in the same way

# The types whose distributions the quick extent measures.
DISTRIBUTED = {
    "sort": ("u32", "u64", "f32"),
    "stable_sort": ("u32",),
    "sort_comparator": ("u32", "u64", "record16"),
    "sort_by_key": ("u32+u32", "u64+u64"),
    "stable_sort_by_key": ("u32+u32",),
}


@dataclass(frozen=True)
class Part:
    """One figure and its two bounds: lower ones, or upper ones if `at_most`."""

    label: str
    measure: Measure
    must: float
    aim: float | None
    at_most: bool = False

    def reaches(self, value: float, bound: float | None) -> bool:
        return bound is not None and (value <= bound if self.at_most else value >= bound)


@dataclass(frozen=True)
class Target:
    work: str
    against: str
    parts: tuple[Part, ...]
    on_device: bool = True
    every_part: bool = False  # is named in its row, not the worst alone


@dataclass(frozen=True)
class Outcome:
    target: Target
    figures: tuple[Figure | None, ...]

    @property
    def status(self) -> str:
        """One missed part misses the target, and one that was not measured does not count as met."""
        pairs = list(zip(self.target.parts, self.figures, strict=True))
        measured = [(part, figure.value) for part, figure in pairs if figure]
        if not all(part.reaches(value, part.must) for part, value in measured):
            return MISSED
        if len(measured) < len(pairs):
            return NOT_MEASURED
        return AIM if all(part.reaches(value, part.aim) for part, value in measured) else MET


def against_peer(
    operation: str, types: Iterable[str], peer: str, must: float, aim: float, n: int = LARGE
) -> tuple[Part, ...]:
    """A radix sort is stable, so where it was measured as `sort` alone, that is the peer of a stable sort, too."""
    unstable = operation.removeprefix("stable_")
    parts = []
    for type in types:
        peers = (case(operation, type, n, peer), case(unstable, type, n, peer))
        parts.append(Part(type, OverPeer((case(operation, type, n),), peers), must, aim))
    return tuple(parts)


def labelled(prefix: str, parts: tuple[Part, ...]) -> tuple[Part, ...]:
    return tuple(Part(f"{prefix} {p.label}", p.measure, p.must, p.aim, p.at_most) for p in parts)


def forced(algorithm: str, constants: dict[int, float], must: float, aim: float) -> tuple[Part, ...]:
    """The constants are for int; u32 takes the same kernels and stands in where int was not measured."""
    return tuple(
        Part(
            f"{algorithm} {size(n)}",
            OverConstant(tuple(case("sort", type, n, f"gpupar_{algorithm}") for type in ("i32", "u32")), gkeys),
            must,
            aim,
        )
        for n, gkeys in constants.items()
    )


def narrow_keys() -> tuple[Part, ...]:
    return tuple(Part(t, OverConstant((case("sort", t, LARGE),), gkeys), 3, 7) for t, gkeys in LIBCUSORT.items())


def at_sizes() -> tuple[Part, ...]:
    bounds = {2**16: (3.0, 4.0), 2**20: (2.0, 3.0), 2**24: (1.5, 2.0)}
    return tuple(
        Part(size(n), OverPeer((case("sort", "u32", n),), (case("sort", "u32", n, "cub_radix"),)), must, aim)
        for n, (must, aim) in bounds.items()
    )


def stable_sorts() -> tuple[Part, ...]:
    parts: tuple[Part, ...] = ()
    for operation, narrow, wide in (
        ("stable_sort", ("u32", "i32", "f32"), ("u64", "i64", "f64")),
        ("stable_sort_by_key", ("u32+u32",), ("u64+u64",)),
    ):
        parts += against_peer(operation, narrow, "cub_radix", 1.0, 1.5)
        parts += against_peer(operation, wide, "cub_radix", 1.8, 2.5)
    return parts


def distributions() -> tuple[Part, ...]:
    measures = [(f"{words(o)} {t}", SlowestDistribution(o, (t,))) for o, types in DISTRIBUTED.items() for t in types]
    measures.append(("sort of other types", SlowestDistribution("sort", DISTRIBUTED["sort"], others=True)))
    return tuple(Part(label, measure, 1.3, 1.0, at_most=True) for label, measure in measures)


def middle_distributions() -> tuple[Part, ...]:
    types = DISTRIBUTED["sort"]
    return tuple(Part(f"sort {t}", SlowestDistribution("sort", (t,), n=MIDDLE), 1.3, 1.0, at_most=True) for t in types)


def multiway_merges() -> tuple[Part, ...]:
    eight = against_peer("multiway_merge_8", ("u32", "u64"), "cub_merge", 2, 3)
    many = against_peer("multiway_merge_64", ("u32", "u64"), "cub_merge", 3, 5)
    return labelled("k = 8", eight) + labelled("k = 64", many)


def comparators(narrow: str, wide: str) -> tuple[Part, ...]:
    return against_peer("sort_comparator", (narrow,), "cub_merge_sort", 2, 3) + against_peer(
        "sort_comparator", (wide,), "cub_merge_sort", 2.5, 4
    )


# Operation, type, must and aim against CUB's radix sort, over all n from 2^16 to 2^24 in steps of 2^(1/4).
OVER_SIZES = (
    ("sort", "u32", 1.6, 2.2),
    ("sort", "u64", 2.4, 3.5),
    ("sort_by_key", "u32+u32", 1.35, 2.0),
    ("sort_by_key", "u64+u64", 2.0, 3.0),
    ("stable_sort_by_key", "u32+u32", 1.15, 1.5),
    ("stable_sort_by_key", "u64+u64", 1.7, 2.5),
)


def over_sizes() -> tuple[Part, ...]:
    return tuple(Part(f"{words(o)} {t}", LeastOverSizes(o, t), must, aim) for o, t, must, aim in OVER_SIZES)


def steps() -> tuple[Part, ...]:
    """A larger n may take a little less by chance of measuring."""
    parts: list[Part] = []
    for o, t, _, _ in OVER_SIZES:
        parts.append(Part(f"{words(o)} {t}, step", SteepestStep(o, t), 1.4, 1.25, at_most=True))
        parts.append(Part(f"{words(o)} {t}, fewer", FewerTakeLonger(o, t), 1.03, 1.0, at_most=True))
    return tuple(parts)


TARGETS: tuple[Target, ...] = (
    Target(
        "sort u32, i32, f32",
        "CUB radix",
        against_peer("sort", ("u32", "i32", "f32"), "cub_radix", 1.6, 2.2),
    ),
    Target("sort u64, i64, f64", "CUB radix", against_peer("sort", ("u64", "i64", "f64"), "cub_radix", 3, 4)),
    Target("sort u128 (2^27)", "CUB radix", against_peer("sort", ("u128",), "cub_radix", 4, 6, 2**27)),
    Target("sort u8, u16", "libcusort's 255, 123 Gkeys/s", narrow_keys()),
    Target("sort_by_key u32+u32", "CUB radix", against_peer("sort_by_key", ("u32+u32",), "cub_radix", 1.4, 2)),
    Target("sort_by_key u64+u64", "CUB radix", against_peer("sort_by_key", ("u64+u64",), "cub_radix", 2.4, 3.2)),
    Target("stable_sort, stable_sort_by_key", "CUB radix", stable_sorts()),
    Target("comparator, u32 and u64", "CUB merge sort", comparators("u32", "u64")),
    Target("comparator, bits in reverse", "CUB merge sort", comparators("reversed32", "reversed64")),
    Target(
        "comparator, 16-byte record",
        "CUB merge sort",
        against_peer("sort_comparator", ("record16",), "cub_merge_sort", 3, 5),
    ),
    Target("merge of two halves", "CUB merge", against_peer("merge", ("u32", "u64"), "cub_merge", 1.1, 1.25)),
    Target("multiway merge of 8 and of 64", "cascade of CUB merges", multiway_merges()),
    Target("sort u32, smaller n", "CUB radix", at_sizes()),
    Target(
        "one call, n <= 4096",
        "thrust::sort",
        (
            Part("u32", Extreme("call_latency", "u32", "thrust", most=4096, of_speed=True), 2.3, 3),
            Part(f"{THRUST_CALL:g} us", CallOverConstant("u32", THRUST_CALL, most=4096), 2.3, 3),
        ),
    ),
    Target(
        "algorithms, forced",
        "TNL bitonic, Manca quicksort",
        forced("bitonic", TNL_BITONIC, 3, 5) + forced("quicksort", MANCA_QUICKSORT, 5, 10),
    ),
    Target(
        "every distribution",
        "own time on uniform keys",
        distributions(),
        every_part=True,
    ),
    Target(
        f"the same, n = {size(MIDDLE)}",
        "own time on uniform keys",
        middle_distributions(),
        every_part=True,
    ),
    Target(
        "real data",
        "best of CUB's ways",
        (Part("", LeastOfKinds(), 1.15, 1.5), Part("", MeanOfKinds(), 2.2, 3)),
        every_part=True,
    ),
    Target("the same", "own time on uniform keys", (Part("", SlowestKind(), 1.6, 1.3, at_most=True),)),
    Target("every n from 2^16 to 2^24", "CUB radix", over_sizes()),
    Target("the same, time over n", "own time on 2^(1/4) times fewer, or on more", steps()),
    Target(
        "host vector, pageable",
        "cudaMemcpy, thrust::sort, cudaMemcpy",
        against_peer("host_sort_pageable", ("u32",), "thrust", 3, 4),
    ),
    Target(
        "host vector, pinned",
        "time of the two transfers",
        (Part("u32", TimeOver(case("host_sort_pinned", "u32", LARGE), "transfers"), 1.25, 1.1, at_most=True),),
    ),
    Target(
        "host vector of any n",
        "time of std::sort",
        (Part("u32", Extreme("host_sort_pageable", "u32", "std"), 1.05, None, at_most=True),),
    ),
    Target(
        "no GPU: 2^26, all cores",
        "std::sort(par)",
        against_peer("sort", ("u32",), "std_par", 2, 4, 2**26),
        on_device=False,
    ),
    Target(
        "no GPU: n <= 2^12",
        "std::sort",
        (Part("u32", Extreme("sort", "u32", "std", most=4096, of_speed=True), 1, 4),),
        on_device=False,
    ),
    Target(
        "scratch",
        "n elements",
        (Part("", ScratchPerElement(SORTS, 2**24), 1.06, 1.02, at_most=True),),
    ),
)


def evaluate(run: Run) -> list[Outcome]:
    """A run of the host extent says nothing about the device, nor any other about a machine without one."""
    with_device = run.has_gpu and run.extent != "host"
    return [
        Outcome(t, tuple(p.measure.figure(run) if t.on_device == with_device else None for p in t.parts))
        for t in TARGETS
    ]
