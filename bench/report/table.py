"""The tables of a run: every case beside its best peer, the algorithms forced, distributions, scratch."""

from __future__ import annotations

from collections.abc import Iterable

from .kinds import real_cases, spreads
from .measures import UNIFORM, Slowdown, by_distribution, scratch_share
from .results import FLOORS, OURS, Case, Measurement, Run, best_peer, is_ours
from .text import MISSING, percent, ratio, section, significant, size, table, words

LATENCY = "call_latency"
WORST_SLOWDOWN = 1.3
SUMMARY_SIZES = (2**12, 2**16, 2**20, 2**24, 2**25, 2**26, 2**27, 2**28)
ALGORITHMS = ("quicksort", "sample_sort", "merge_sort", "radix", "bitonic")
OPERATIONS = (
    "sort",
    "sort_comparator",
    "stable_sort",
    "sort_by_key",
    "stable_sort_by_key",
    "argsort",
    "merge",
    "multiway_merge_2",
    "multiway_merge_8",
    "multiway_merge_64",
    "merge_by_key",
    "inplace_merge",
    "is_sorted",
    "gather",
    "segmented_sort",
    "segmented_sort_by_key",
    "host_sort_pageable",
    "host_sort_pinned",
    LATENCY,
)
TYPES = ("u8", "u16", "half", "u32", "i32", "f32", "u64", "i64", "f64", "u128", "u32x2", "u64x2", "u32+u32", "u64+u64",
         "reversed32", "reversed64", "record16", "record32", "record100", "string", "view", "owner")  # fmt: skip


def rank(names: tuple[str, ...], name: str) -> tuple[int, str]:
    """Names in the order given, then the rest by the alphabet."""
    return (names.index(name) if name in names else len(names), name)


def in_order(cases: Iterable[Case]) -> list[Case]:
    return sorted(cases, key=lambda c: (rank(OPERATIONS, c.operation), rank(TYPES, c.type), c.n, c.distribution))


def unit(operation: str) -> str:
    return "us" if operation == LATENCY else "Gkeys/s"


def value(measured: Measurement | None) -> str:
    if measured is None:
        return MISSING
    is_latency = measured.case.operation == LATENCY
    return significant(measured.median / 1e3 if is_latency else measured.keys_per_second / 1e9)


def peer_cells(ours: Measurement | None, contenders: dict[str, Measurement]) -> list[str]:
    peer = best_peer(contenders)
    if peer is None:
        return [MISSING] * 3
    return [peer.case.contender, value(peer), ratio(peer.median / ours.median) if ours else MISSING]


def floor_cells(ours: Measurement | None, contenders: dict[str, Measurement]) -> list[list[str]]:
    floors = [contenders[name] for name in FLOORS if name in contenders]
    return [[f.case.contender, value(f), ratio(f.median / ours.median) if ours else MISSING] for f in floors]


def operation_section(operation: str, groups: dict[Case, dict[str, Measurement]]) -> str:
    """A row per type and n; a floor, which nothing can beat, gets a row of its own below the best peer's."""
    rows = []
    for c in in_order(groups):
        contenders = groups[c]
        ours = contenders.get(OURS)
        head = [c.type, size(c.n), value(ours), percent(ours.spread if ours else None)]
        rows.append(head + peer_cells(ours, contenders))
        rows += [[c.type, size(c.n), "", "", *cells] for cells in floor_cells(ours, contenders)]
    header = ["type", "n", f"gpupar, {unit(operation)}", "spread", "best peer", unit(operation), "ratio"]
    return section(words(operation), table(header, rows))


def operation_sections(run: Run) -> list[str]:
    groups = {
        c: contenders
        for c, contenders in run.groups().items()
        if c.distribution == UNIFORM and (OURS in contenders or best_peer(contenders))
    }
    operations = sorted({c.operation for c in groups}, key=lambda name: rank(OPERATIONS, name))
    return [operation_section(o, {c: g for c, g in groups.items() if c.operation == o}) for o in operations]


def summary_section(run: Run) -> str:
    """Our throughput, and in brackets the ratio to the best peer, at some sizes; call latencies are left out."""
    found: dict[tuple[str, str], dict[int, str]] = {}
    groups = run.groups()
    for c in in_order(c for c in groups if c.distribution == UNIFORM and c.operation != LATENCY):
        ours, peer = groups[c].get(OURS), best_peer(groups[c])
        if ours and peer and c.n in SUMMARY_SIZES:
            found.setdefault((c.operation, c.type), {})[c.n] = f"{value(ours)} ({ratio(peer.median / ours.median)})"
    if not found:
        return ""
    sizes = [n for n in SUMMARY_SIZES if any(n in cells for cells in found.values())]
    rows = [[f"{words(o)} {t}", *(cells.get(n, MISSING) for n in sizes)] for (o, t), cells in found.items()]
    return section("Gkeys/s (over the best peer)", table(["", *(size(n) for n in sizes)], rows))


def algorithms_section(run: Run) -> str:
    """Uniform keys, every algorithm forced, beside the one that is chosen."""
    rows = []
    groups = run.groups()
    for c in in_order(c for c in groups if c.distribution == UNIFORM):
        forced = {name: m for name, m in groups[c].items() if is_ours(name) and name != OURS}
        if forced:
            figures = [value(forced.get(f"{OURS}_{name}")) for name in ALGORITHMS]
            rows.append([f"{words(c.operation)} {c.type}", size(c.n), value(groups[c].get(OURS)), *figures])
    header = ["keys", "n", "chosen", *(words(name) for name in ALGORITHMS)]
    return section("Each algorithm, Gkeys/s", table(header, rows)) if rows else ""


def distribution_row(slowest: Slowdown, all_of_them: list[Slowdown]) -> list[str]:
    c = slowest.case
    behind = min((s for s in all_of_them if s.over_peer is not None), key=lambda s: s.over_peer or 0, default=None)
    least = f"{ratio(behind.over_peer)} ({words(behind.case.distribution)})" if behind else MISSING
    return [f"{words(c.operation)} {c.type}", size(c.n), str(len(all_of_them)), value(slowest.uniform),
            words(c.distribution), value(slowest.measured), ratio(slowest.ratio), least]  # fmt: skip


def distributions_section(run: Run) -> str:
    """Per operation, type and n the slowest distribution; then every one beyond the bound."""
    grouped = by_distribution(run)
    if not grouped:
        return ""
    rows = [distribution_row(grouped[key][0], grouped[key]) for key in in_order(grouped)]
    header = ["keys", "n", "distributions", "uniform", "slowest", "Gkeys/s", "time / uniform", "least ratio to a peer"]
    beyond = [s for key in in_order(grouped) for s in grouped[key] if s.ratio > WORST_SLOWDOWN]
    lines = [
        f"- {words(s.case.operation)} {s.case.type}, n = {size(s.case.n)}, {words(s.case.distribution)}: {s.ratio:.2f}"
        for s in beyond
    ]
    verdict = f"Beyond {WORST_SLOWDOWN} times the time on uniform keys: {len(beyond) or 'none'}."
    return section("Distributions", table(header, rows), verdict, "\n".join(lines))


def kinds_section(run: Run) -> str:
    """Every case of real data, in ms, in rising order of the ratio to the best peer."""
    rows = []
    for real in sorted(real_cases(run), key=lambda r: r.over_peer or 0):
        peer, told = real.peer, real.told
        rows.append([f"{words(real.case.operation)} {real.case.type}", words(real.case.distribution),
                     size(real.case.n), significant(real.ours.median / 1e6), peer.case.contender if peer else MISSING,
                     significant(peer.median / 1e6) if peer else MISSING, ratio(real.over_peer),
                     significant(told.median / 1e6) if told else MISSING, ratio(real.over_uniform)])  # fmt: skip
    header = ["keys", "kind", "n", "gpupar, ms", "best peer", "ms", "ratio", "told the bits", "time / uniform"]
    return section("Real data", table(header, rows, left=2)) if rows else ""


def spread_section(run: Run) -> str:
    """Over all kinds, skewed ones too: the geometric mean, and the least with its kind."""
    found = spreads(run)
    sizes = sorted({n for _, _, n in found})
    rows: dict[tuple[str, str], list[str]] = {}
    for operation, type, _ in sorted(found, key=lambda k: (rank(OPERATIONS, k[0]), rank(TYPES, k[1]))):
        row = [found.get((operation, type, n)) for n in sizes]
        rows[operation, type] = [f"{ratio(s.mean)} ({ratio(s.least)} {words(s.worst)})" if s else MISSING for s in row]
    header = ["time of the best peer over ours", *(size(n) for n in sizes)]
    body = [[f"{words(operation)} {type}", *cells] for (operation, type), cells in rows.items()]
    return section("All kinds: geometric mean (least)", table(header, body)) if rows else ""


def scratch_section(run: Run) -> str:
    """At the largest n of every operation and type, as a share of the elements' own size."""
    largest: dict[Case, dict[str, Measurement]] = {}
    for c, contenders in run.groups().items():
        shares = {name: m for name, m in contenders.items() if scratch_share(m) is not None}
        if c.distribution == UNIFORM and OURS in shares:
            largest[Case(c.operation, c.type, "", 0, "")] = shares
    rows = []
    for key in in_order(largest):
        ours = largest[key].pop(OURS)
        peers = [f"{name} {scratch_share(m):.2f}" for name, m in largest[key].items() if not is_ours(name)]
        rows.append([words(key.operation), key.type, size(ours.case.n), f"{scratch_share(ours):.2f}", ", ".join(peers)])
    header = ["operation", "type", "n", "gpupar", "peers"]
    return section("Scratch, in sizes of the input", table(header, rows, left=2)) if rows else ""
