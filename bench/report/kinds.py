"""The kinds of real data, and how they compare: with the best peer, and with our own time on uniform keys."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import geometric_mean

from .measures import KINDS, MIXTURES, SKEWS, UNIFORM, Figure
from .results import OURS, Case, Measurement, Run, best_peer
from .text import size, words


@dataclass(frozen=True)
class RealCase:
    """A case of ours on real data, or on uniform keys with values of another width, beside what it is held against."""

    case: Case
    ours: Measurement
    peer: Measurement | None
    told: Measurement | None
    uniform: Measurement | None

    @property
    def over_peer(self) -> float | None:
        return self.peer.median / self.ours.median if self.peer else None

    @property
    def over_uniform(self) -> float | None:
        return self.ours.median / self.uniform.median if self.uniform else None

    @property
    def label(self) -> str:
        c = self.case
        return f"{words(c.operation)} {c.type} {words(c.distribution)}, {size(c.n)}"


def unequal(type: str) -> bool:
    """Does the type name keys with values that are not as wide?"""
    widths = [part.strip("abcdefghijklmnopqrstuvwxyz") for part in type.split("+")]
    return len(widths) == 2 and widths[0] != widths[1]


def real_cases(run: Run) -> Iterator[RealCase]:
    for c, contenders in run.groups().items():
        ours = contenders.get(OURS)
        if ours and (c.distribution in KINDS or (c.distribution == UNIFORM and unequal(c.type))):
            uniform = run.get(c.on(UNIFORM)) if c.distribution != UNIFORM else None
            yield RealCase(c, ours, best_peer(contenders), contenders.get("cub_radix_told"), uniform)


@dataclass(frozen=True)
class LeastOfKinds:
    """The least ratio of our throughput to the best peer's."""

    def figure(self, run: Run) -> Figure | None:
        found = [(r.over_peer, r) for r in real_cases(run) if r.over_peer is not None]
        value, worst = min(found, key=lambda pair: pair[0], default=(None, None))
        return Figure(value, f"{worst.label}, of {len(found)}") if value is not None and worst else None


@dataclass(frozen=True)
class MeanOfKinds:
    """The geometric mean of the ratios of our throughput to the best peer's."""

    def figure(self, run: Run) -> Figure | None:
        found = [r.over_peer for r in real_cases(run) if r.over_peer is not None]
        return Figure(geometric_mean(found), f"mean of {len(found)}") if found else None


@dataclass(frozen=True)
class SlowestKind:
    """The greatest ratio of our time to that on uniform keys of the same type and number."""

    def figure(self, run: Run) -> Figure | None:
        found = [(r.over_uniform, r) for r in real_cases(run) if r.over_uniform is not None]
        value, worst = max(found, key=lambda pair: pair[0], default=(None, None))
        return Figure(value, f"{worst.label}, of {len(found)}") if value is not None and worst else None


@dataclass(frozen=True)
class Spread:
    """Ratios of our throughput to the best peer's over all kinds of one operation, type and n, skewed ones too."""

    mean: float  # geometric
    least: float
    worst: str  # kind
    kinds: int


ENOUGH_KINDS = 30


def spreads(run: Run) -> dict[tuple[str, str, int], Spread]:
    found: dict[tuple[str, str, int], list[tuple[float, str]]] = {}
    for c, contenders in run.groups().items():
        ours, peer = contenders.get(OURS), best_peer(contenders)
        if ours and peer and c.distribution in (*KINDS, *SKEWS, *MIXTURES):
            ratios = found.setdefault((c.operation, c.type, c.n), [])
            ratios.append((peer.median / ours.median, c.distribution))
    return {
        key: Spread(geometric_mean(r for r, _ in ratios), *min(ratios), len(ratios))
        for key, ratios in found.items()
        if len(ratios) >= ENOUGH_KINDS
    }


FIRST, LAST = 2**16, 2**24
LEAST_STEPS = 24  # of sizes, or a run did not measure them all


def over_sizes(run: Run, operation: str, type: str) -> list[tuple[Measurement, Measurement | None]]:
    """Ours on uniform keys from 2^16 to 2^24 and the best peer's, in rising n."""
    found = []
    for c, contenders in run.groups().items():
        chosen = (c.operation, c.type, c.distribution) == (operation, type, UNIFORM) and FIRST <= c.n <= LAST
        if chosen and OURS in contenders:
            found.append((contenders[OURS], best_peer(contenders)))
    return found if len(found) > LEAST_STEPS else []


@dataclass(frozen=True)
class LeastOverSizes:
    """The least ratio of our throughput to the best peer's, over all n."""

    operation: str
    type: str

    def figure(self, run: Run) -> Figure | None:
        pairs = over_sizes(run, self.operation, self.type)
        found = [Figure(peer.median / ours.median, size(ours.case.n)) for ours, peer in pairs if peer]
        return min(found, key=lambda figure: figure.value, default=None)


@dataclass(frozen=True)
class SteepestStep:
    """The greatest ratio of our time to that of the n before, which is 2^(1/4) times as small."""

    operation: str
    type: str

    def figure(self, run: Run) -> Figure | None:
        times = [ours for ours, _ in over_sizes(run, self.operation, self.type)]
        steps = [Figure(b.median / a.median, size(b.case.n)) for a, b in zip(times, times[1:], strict=False)]
        return max(steps, key=lambda figure: figure.value, default=None)


@dataclass(frozen=True)
class FewerTakeLonger:
    """The greatest ratio of our time to that of any larger n."""

    operation: str
    type: str

    def figure(self, run: Run) -> Figure | None:
        times = [ours for ours, _ in over_sizes(run, self.operation, self.type)]
        found = []
        least = math.inf
        for measured in reversed(times):
            if least < math.inf:
                found.append(Figure(measured.median / least, size(measured.case.n)))
            least = min(least, measured.median)
        return max(found, key=lambda figure: figure.value, default=None)
