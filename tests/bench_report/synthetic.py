"""Made-up results for tests, in the form in which gpupar_bench writes them."""

from __future__ import annotations

import json
import random
from itertools import chain
from pathlib import Path
from typing import Any

from report.results import Run, run_of

Entry = dict[str, Any]

CONTEXT = {
    "date": "2026-11-21T03:18:15+00:00",
    "commit": "0123abc",
    "gpu": "NVIDIA H200",
    "driver": "580.159.04",
    "cuda": "13.0",
    "sm_clock_mhz": "1980",
    "memory_clock_mhz": "3201",
    "copy_gbytes_per_second": "4268",
    "h2d_gbytes_per_second": "55.5",
    "d2h_gbytes_per_second": "55.3",
    "host_cpu": "Some CPU",
    "host_threads": "16",
    "extent": "quick",
    "left_out": "",
}


DISTRIBUTIONS = (
    "gaussian",
    "zero",
    "sorted",
    "reverse",
    "zipf",
    "staggered_240",
    "bucket_sorted_240",
    "few_distinct_16",
    "needle",
)


def entries(name: str, time_ns: float, repetitions: int = 5, spread: float = 0.01, **counters: Any) -> list[Entry]:
    """One entry per repetition, the middle one exactly `time_ns`, and the median as Google Benchmark appends it."""
    full = f"{name}/manual_time"
    common: Entry = {"run_name": full, "time_unit": "ns", "repetitions": repetitions, **counters}
    found: list[Entry] = []
    for i in range(repetitions):
        time = time_ns * (1 + spread * (i - (repetitions - 1) / 2))
        found.append(common | {"name": full, "run_type": "iteration", "repetition_index": i, "real_time": time})
    median = {"name": f"{full}_median", "run_type": "aggregate", "aggregate_name": "median", "real_time": time_ns}
    return [*found, common | median]


def error(name: str, message: str) -> list[Entry]:
    return [{"name": name, "run_name": name, "run_type": "iteration", "error_occurred": True, "error_message": message}]


def run(*benchmarks: list[Entry], **context: str) -> Run:
    return run_of(CONTEXT | context, list(chain(*benchmarks)))


def write(path: Path, benchmarks: list[Entry], **context: str) -> Path:
    path.write_text(json.dumps({"context": CONTEXT | context, "benchmarks": benchmarks}), encoding="utf-8")
    return path


def saturating(n: int, gkeys: float, latency_ns: float = 15e3) -> float:
    """Time in ns of a device that takes a while to start and then does `gkeys` keys in a ns."""
    return latency_ns + n / gkeys


def series(case: str, sizes: list[int], rates: dict[str, float], bytes_per_key: int) -> list[Entry]:
    found: list[Entry] = []
    for n in sizes:
        for contender, gkeys in rates.items():
            counters: Entry = {"bytes_per_key": float(bytes_per_key), "scratch_bytes": 1.01 * n * bytes_per_key}
            found += entries(f"{case}/uniform/{n}/{contender}", saturating(n, gkeys), **counters)
    return found


def quick_run() -> list[Entry]:
    """Something of everything that the reports look at."""
    sizes = [2**e for e in range(10, 29, 2)]
    rates = {
        "gpupar": 84.0,
        "gpupar_quicksort": 80.0,
        "gpupar_sample_sort": 60.0,
        "gpupar_merge_sort": 22.0,
        "gpupar_radix": 48.0,
        "gpupar_bitonic": 6.0,
        "cub_radix": 49.0,
        "cub_merge_sort": 21.0,
        "thrust": 47.0,
    }
    found = series("sort/u32", sizes, rates, 4)
    found += series("sort/u64", sizes, {"gpupar": 51.0, "cub_radix": 16.3}, 8)
    found += series("sort_by_key/u32+u32", sizes[-3:], {"gpupar": 27.0, "cub_radix": 31.4}, 8)
    found += series("merge/u32", sizes[-3:], {"gpupar": 460.0, "cub_merge": 415.0}, 4)
    found += series("host_sort_pinned/u32", [2**28], {"gpupar": 6.2, "thrust": 5.8, "transfers": 6.9}, 4)
    for n in (1, 10, 100, 1000, 4096, 10**4, 10**5, 10**6):
        found += entries(f"call_latency/u32/uniform/{n}/gpupar", 9e3 + n / 20)
        found += entries(f"call_latency/u32/uniform/{n}/thrust", 23e3 + n / 9)
    for exponent in range(10, 26):
        n = 2**exponent
        for distribution, factor in (("uniform", 1.0), ("staggered_128", 0.9)):
            case = f"sort/i32/{distribution}/{n}"
            found += entries(f"{case}/std", factor * n * exponent * 3.0)
            found += entries(f"{case}/gpupar_bitonic", saturating(n, 6.0))
            found += entries(f"{case}/gpupar", saturating(n, 84.0))
    return found + distributions()


def distributions() -> list[Entry]:
    found: list[Entry] = []
    source = random.Random(1)
    for case, gkeys in (("sort/u32", 84.0), ("sort_by_key/u32+u32", 27.0)):
        n = 2**26
        for name in DISTRIBUTIONS:
            factor = 0.6 + 0.6 * source.random()
            found += entries(f"{case}/{name}/{n}/gpupar", saturating(n, gkeys * factor))
            found += entries(f"{case}/{name}/{n}/gpupar_sample_sort", saturating(n, 0.7 * gkeys * factor))
    return found
