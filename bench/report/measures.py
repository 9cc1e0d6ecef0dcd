"""How a target's figure comes out of a run: ratios of cases, to a constant, between distributions, of scratch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from .results import OURS, Case, Measurement, Run, best_peer
from .text import size, words

UNIFORM = "uniform"
KINDS = (  # of real data, as bench/kinds/kind.hpp has them
    "dictionary_codes", "prices", "amounts", "half_zeros", "scores", "depths", "sensor_readings", "differences",
    "counts", "sizes", "timestamps", "dates", "sorted_runs", "addresses", "hashes", "foreign_keys", "order_lines",
    "row_numbers", "uuid7", "uuid7_in_order", "morton30", "morton63", "edges", "vertices", "matrix_entries", "colours",
    "text_prefixes", "url_prefixes", "kmers", "suffix_ranks",
)  # fmt: skip
SKEWS = (  # by measure, behind them
    "zipf_0_4", "zipf_0_6", "zipf_0_8", "zipf_1", "zipf_1_2", "zipf_1_5", "copies_2", "copies_8", "copies_60",
    "copies_1000", "crowds_16", "crowds_1000", "crowds_100000", "half_one", "nine_tenths_one", "bits_8", "bits_12",
    "bits_16", "bits_20", "bits_24",
)  # fmt: skip
MIXTURES = tuple(f"mixture_{number}" for number in range(1, 13))  # which nobody arranged


@dataclass(frozen=True)
class Figure:
    value: float
    label: str = ""


class Measure(Protocol):
    def figure(self, run: Run) -> Figure | None:
        """None if the run lacks what it takes."""


def case(operation: str, type: str, n: int, contender: str = OURS) -> Case:
    return Case(operation, type, UNIFORM, n, contender)


def first_measured(run: Run, cases: tuple[Case, ...]) -> Measurement | None:
    return next((run.measurements[c] for c in cases if c in run.measurements), None)


@dataclass(frozen=True)
class OverPeer:
    """Throughput of the first of `ours` that was measured, over that of the first of `peers`."""

    ours: tuple[Case, ...]
    peers: tuple[Case, ...]

    def figure(self, run: Run) -> Figure | None:
        ours, peer = first_measured(run, self.ours), first_measured(run, self.peers)
        return Figure(ours.keys_per_second / peer.keys_per_second) if ours and peer else None


@dataclass(frozen=True)
class OverConstant:
    """Throughput over a figure in Gkeys/s that is no part of the run."""

    ours: tuple[Case, ...]
    gkeys: float

    def figure(self, run: Run) -> Figure | None:
        ours = first_measured(run, self.ours)
        return Figure(ours.keys_per_second / 1e9 / self.gkeys) if ours else None


@dataclass(frozen=True)
class TimeOver:
    """Time over that of another contender: the less the better."""

    ours: Case
    other: str

    def figure(self, run: Run) -> Figure | None:
        ours, other = run.get(self.ours), run.get(self.ours.by(self.other))
        return Figure(ours.median / other.median) if ours and other else None


@dataclass(frozen=True)
class Extreme:
    """Over all uniform cases of an operation and type, of up to `most` keys, that both contenders did: the greatest
    ratio of our time to the peer's, or (`of_speed`) the least ratio of our throughput to the peer's."""

    operation: str
    type: str
    peer: str
    most: int = 2**63
    of_speed: bool = False

    def figure(self, run: Run) -> Figure | None:
        found = [Figure(ours.median / peer.median, size(c.n)) for c, ours, peer in self.pairs(run)]
        worst = max(found, key=lambda figure: figure.value, default=None)
        return worst if worst is None or not self.of_speed else Figure(1 / worst.value, worst.label)

    def pairs(self, run: Run) -> Iterator[tuple[Case, Measurement, Measurement]]:
        for c, ours in run.measurements.items():
            wanted = case(self.operation, self.type, c.n)
            peer = run.get(wanted.by(self.peer))
            if c == wanted and c.n <= self.most and peer:
                yield c, ours, peer


@dataclass(frozen=True)
class CallOverConstant:
    """A time in microseconds that is no part of the run, over that of one call: the least such ratio, up to `most`
    keys."""

    type: str
    microseconds: float
    most: int

    def figure(self, run: Run) -> Figure | None:
        found = [
            Figure(1e3 * self.microseconds / m.median, size(c.n))
            for c, m in run.measurements.items()
            if c == case("call_latency", self.type, c.n) and c.n <= self.most
        ]
        return min(found, key=lambda figure: figure.value, default=None)


@dataclass(frozen=True)
class SlowestDistribution:
    """Greatest ratio of the time on a distribution to that on uniform keys, for the operation and type or, if `others`,
    for all but the given types; each at n or, if that is None, at the largest n at which it was measured on several
    distributions."""

    operation: str
    types: tuple[str, ...]
    others: bool = False
    n: int | None = None

    def figure(self, run: Run) -> Figure | None:
        largest: dict[str, list[Slowdown]] = {}
        for key, found in sorted(by_distribution(run).items()):
            chosen = key.operation == self.operation and self.n in (None, key.n)
            if chosen and (key.type in self.types) != self.others:
                largest[key.type] = found
        slowest = max(largest.values(), key=lambda found: found[0].ratio, default=None)
        if slowest is None:
            return None
        worst = slowest[0]
        type = f"{worst.case.type} " if self.others else ""
        return Figure(worst.ratio, f"{type}{words(worst.case.distribution)}, of {len(slowest)}")


@dataclass(frozen=True)
class Slowdown:
    """A case of ours on a distribution that is not uniform, beside uniform keys of the same number."""

    case: Case
    ratio: float
    measured: Measurement
    uniform: Measurement
    over_peer: float | None


def by_distribution(run: Run) -> dict[Case, list[Slowdown]]:
    """Per operation, type and n (as a Case without a distribution) our distributions in falling order of the ratio.
    One that stands alone, like the staggered keys of a series over n, makes no catalogue and is left out, and so are the
    kinds of real data, which have verdicts of their own."""
    found: dict[Case, list[Slowdown]] = {}
    for c, contenders in run.groups().items():
        ours, uniform = contenders.get(OURS), run.get(c.on(UNIFORM))
        if ours and uniform and c.distribution not in (UNIFORM, *KINDS, *SKEWS, *MIXTURES):
            peer = best_peer(contenders)
            over_peer = peer.median / ours.median if peer else None
            slowdown = Slowdown(c, ours.median / uniform.median, ours, uniform, over_peer)
            found.setdefault(c.on(""), []).append(slowdown)
    return {key: sorted(group, key=lambda s: -s.ratio) for key, group in found.items() if len(group) > 1}


@dataclass(frozen=True)
class ScratchPerElement:
    """Scratch over the size of the elements, the most that any case of so many elements or more takes. Of fewer, what
    does not grow with them would count."""

    operations: tuple[str, ...]
    least: int

    def figure(self, run: Run) -> Figure | None:
        found = [
            Figure(share, f"{words(c.operation)} {c.type}, {size(c.n)}")
            for c, m in run.measurements.items()
            if c.contender == OURS and c.operation in self.operations and c.n >= self.least
            if (share := scratch_share(m)) is not None
        ]
        return max(found, key=lambda figure: figure.value, default=None)


def scratch_share(measured: Measurement) -> float | None:
    if measured.scratch_bytes is None or not measured.bytes_per_key:
        return None
    return measured.scratch_bytes / (measured.case.n * measured.bytes_per_key)
