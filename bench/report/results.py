"""Results of gpupar_bench: one JSON file in Google Benchmark's format becomes one Run."""

from __future__ import annotations

import json
import statistics
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

NANOSECONDS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
OURS = "gpupar"
FLOORS = ("transfers",)  # measured to compare with, but no way to sort
INFORMED = ("cub_radix_told",)  # know more of the keys than we are told
SKIPPED = "skipped: "  # errors that begin so are cases that could not run here, and no failures
REDUNDANT = ("run_name", "family_index", "per_family_instance_index", "threads", "items_per_second")  # of an entry
DIGITS = 6


class ResultsError(Exception):
    """A file that holds no results; the message says which and why."""


@dataclass(frozen=True, order=True)
class Case:
    operation: str
    type: str
    distribution: str
    n: int
    contender: str

    def by(self, contender: str) -> Case:
        return replace(self, contender=contender)

    def on(self, distribution: str) -> Case:
        return replace(self, distribution=distribution)

    def __str__(self) -> str:
        return f"{self.operation}/{self.type}/{self.distribution}/{self.n}/{self.contender}"


@dataclass(frozen=True)
class Measurement:
    """Times of one call, in ns, in rising order: one per repetition."""

    case: Case
    times: tuple[float, ...]
    bytes_per_key: float | None = None
    scratch_bytes: float | None = None

    @property
    def median(self) -> float:
        return statistics.median(self.times)

    @property
    def keys_per_second(self) -> float:
        return self.case.n / self.median * 1e9

    @property
    def spread(self) -> float | None:
        """Interquartile range over median: unlike the deviation, one disturbed repetition does not make it large."""
        if len(self.times) < 3:
            return None
        low, _, high = statistics.quantiles(self.times, n=4, method="inclusive")
        return (high - low) / self.median


@dataclass
class Run:
    context: dict[str, Any]
    measurements: dict[Case, Measurement]
    errors: dict[Case, str] = field(default_factory=dict)
    skipped: dict[Case, str] = field(default_factory=dict)

    def get(self, case: Case) -> Measurement | None:
        return self.measurements.get(case)

    def number(self, key: str) -> float | None:
        """A number of the context, which Google Benchmark stores as a string."""
        try:
            value = float(self.context[key])
        except (KeyError, TypeError, ValueError):
            return None
        return value if value > 0 else None

    @property
    def has_gpu(self) -> bool:
        return str(self.context.get("gpu", "")).strip().lower() not in ("", "none")

    @property
    def machine(self) -> str:
        return str(self.context["gpu"] if self.has_gpu else self.context.get("host_cpu") or "host")

    @property
    def extent(self) -> str:
        return str(self.context.get("extent", ""))

    def groups(self) -> dict[Case, dict[str, Measurement]]:
        """The measurements by contender, for every case as OURS would run it, in rising order."""
        grouped: dict[Case, dict[str, Measurement]] = {}
        for case in sorted(self.measurements):
            grouped.setdefault(case.by(OURS), {})[case.contender] = self.measurements[case]
        return grouped


def is_ours(contender: str) -> bool:
    return contender == OURS or contender.startswith(OURS + "_")


def best_peer(contenders: dict[str, Measurement]) -> Measurement | None:
    """The fastest of the contenders that are neither ours nor a floor, nor told more."""
    peers = [m for name, m in contenders.items() if not is_ours(name) and name not in FLOORS + INFORMED]
    return min(peers, key=lambda m: m.median, default=None)


def load(path: Path) -> Run:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ResultsError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise ResultsError(f"{path} is no JSON file, or it ends too early: {error}") from error
    if not isinstance(document, dict) or not isinstance(document.get("benchmarks"), list):
        raise ResultsError(f'{path} has no list "benchmarks": it was not written by Google Benchmark')
    try:
        return run_of(document.get("context") or {}, document["benchmarks"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ResultsError(f"{path} has an entry that cannot be read: {error!r}") from error


def tidy_copy(source: Path, target: Path) -> None:
    """The same results, an entry per line, to six digits; without what follows from the rest, and without the names
    of host and folder, which are of no use elsewhere."""
    document = json.loads(source.read_text(encoding="utf-8"))
    context = {key: value for key, value in (document.get("context") or {}).items() if key != "host_name"}
    if "executable" in context:
        context["executable"] = Path(context["executable"]).name
    kept = (tidy_entry(entry) for entry in document["benchmarks"] if entry.get("run_type") != "aggregate")
    entries = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in kept)
    text = f'{{"context": {json.dumps(context, indent=1)},\n"benchmarks": [\n{entries}\n]}}\n'
    target.write_text(text, encoding="utf-8")


def tidy_entry(entry: dict[str, Any]) -> dict[str, Any]:
    """The name is that of the case, as in `run_name`, which it may otherwise differ from by a suffix."""
    kept = {key: value for key, value in entry.items() if key not in REDUNDANT}
    kept["name"] = entry.get("run_name", entry["name"])
    return {key: float(f"{v:.{DIGITS}g}") if isinstance(v, float) else v for key, v in kept.items()}


def run_of(context: dict[str, Any], entries: list[dict[str, Any]]) -> Run:
    repetitions: dict[Case, list[dict[str, Any]]] = {}
    errors: dict[Case, str] = {}
    skipped: dict[Case, str] = {}
    for entry in map(tidy_entry, entries):  # so that a tidy copy gives the same figures
        case = case_of(entry["name"])
        if entry.get("error_occurred"):
            message = str(entry.get("error_message", "failed"))
            (skipped if message.startswith(SKIPPED) else errors)[case] = message
        elif entry.get("run_type", "iteration") == "iteration" and not entry.get("skipped"):
            repetitions.setdefault(case, []).append(entry)
    missing = errors.keys() | skipped.keys()
    kept = {case: measurement_of(case, found) for case, found in repetitions.items() if case not in missing}
    return Run(context, kept, errors, skipped)


def case_of(name: str) -> Case:
    """The first five parts of the name; what Google Benchmark appends (/manual_time, /repeats:7) is left out."""
    parts = name.split("/")
    if len(parts) < 5 or not parts[3].isdigit():
        raise ValueError(f"the name '{name}' is not operation/type/distribution/n/contender")
    return Case(parts[0], parts[1], parts[2], int(parts[3]), parts[4])


def measurement_of(case: Case, entries: list[dict[str, Any]]) -> Measurement:
    times = sorted(float(entry["real_time"]) * NANOSECONDS[entry.get("time_unit", "ns")] for entry in entries)
    if times[0] <= 0:
        raise ValueError(f"{case} took no time")
    first = entries[0]
    return Measurement(case, tuple(times), first.get("bytes_per_key"), first.get("scratch_bytes"))
