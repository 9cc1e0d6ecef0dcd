"""What became faster or slower between two runs, beyond the noise of both.

The noise of a case is three times the combined standard deviation of its repetitions in the two runs. The deviation is
estimated from the interquartile range, so that a single disturbed repetition widens nothing; the noise is at least
LEAST_NOISE, for repetitions in one process do not see what differs between processes (clocks, where memory lies). With
fewer than three repetitions in either run the spread is taken to be UNKNOWN_SPREAD.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from .results import Case, Measurement, Run
from .text import percent, ratio, section, significant, size, table, words

IQR_OF_NORMAL = 1.349  # the interquartile range of a normal distribution, in standard deviations
LEAST_NOISE = 0.02
UNKNOWN_SPREAD = 0.05


@dataclass(frozen=True)
class Change:
    """`speedup` is the time before over the time after: above 1 is faster."""

    case: Case
    before: Measurement
    after: Measurement

    @property
    def speedup(self) -> float:
        return self.before.median / self.after.median

    @property
    def noise(self) -> float:
        return max(3 * math.hypot(deviation(self.before), deviation(self.after)), LEAST_NOISE)

    @property
    def is_faster(self) -> bool:
        return self.speedup > 1 + self.noise

    @property
    def is_slower(self) -> bool:
        return 1 / self.speedup > 1 + self.noise


def deviation(measured: Measurement) -> float:
    """Standard deviation of one repetition, over the median."""
    return UNKNOWN_SPREAD if measured.spread is None else measured.spread / IQR_OF_NORMAL


@dataclass(frozen=True)
class Comparison:
    faster: list[Change]
    slower: list[Change]
    unchanged: int
    appeared: list[Case]
    vanished: list[Case]


def compare(before: Run, after: Run) -> Comparison:
    common = [c for c in before.measurements if c in after.measurements]
    changes = [Change(c, before.measurements[c], after.measurements[c]) for c in common]
    faster = sorted((c for c in changes if c.is_faster), key=lambda c: -c.speedup)
    slower = sorted((c for c in changes if c.is_slower), key=lambda c: c.speedup)
    return Comparison(
        faster,
        slower,
        len(changes) - len(faster) - len(slower),
        sorted(set(after.measurements) - set(before.measurements)),
        sorted(set(before.measurements) - set(after.measurements)),
    )


def changes_table(title: str, changes: list[Change]) -> str:
    rows = [
        [f"{words(c.case.operation)} {c.case.type}", words(c.case.distribution), c.case.contender, size(c.case.n),
         f"{significant(c.before.median / 1e3)} us", f"{significant(c.after.median / 1e3)} us", ratio(c.speedup),
         percent(c.noise)]
        for c in changes
    ]  # fmt: skip
    header = ["keys", "distribution", "contender", "n", "before", "after", "speed-up", "noise"]
    return section(f"{title}: {len(changes)}", table(header, rows, left=3) if rows else "")


def machines(before: Run, after: Run) -> str:
    """A warning if the two runs are not of the same machine: then all differs."""
    if before.machine == after.machine:
        return ""
    return f"The machines differ: {before.machine} before, {after.machine} after."


def comparison_text(before: Run, after: Run) -> str:
    found = compare(before, after)
    lists = [
        f"{title}: {len(cases)}\n" + "\n".join(f"  {case}" for case in cases)
        for title, cases in (("Appeared", found.appeared), ("Vanished", found.vanished))
        if cases
    ]
    parts = [
        machines(before, after),
        changes_table("Faster", found.faster),
        changes_table("Slower", found.slower),
        f"Unchanged within the noise: {found.unchanged}",
        *lists,
    ]
    return "\n\n".join(part for part in parts if part)
