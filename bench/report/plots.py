"""Plots of a run, each as SVG and PNG, light and dark. The only module that needs matplotlib."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from .measures import UNIFORM, by_distribution
from .results import OURS, Case, Measurement, Run, best_peer
from .style import THEMES, Theme, look
from .table import LATENCY, WORST_SLOWDOWN, in_order
from .text import ratio, significant, size, words

Series = dict[str, list[Measurement]]
LEAST_SIZES = 3
SEGMENTED = "segmented_"  # operations whose names end with the elements of a segment
LONGEST_RATIO = 16.0  # where dots of ratios that are greater stand
LONGEST_BAR = 3.0  # where bars of distributions end, in throughputs on uniform keys
LABEL_GAP = 0.048  # of the axes' height, between the labels at the ends of lines


@dataclass(frozen=True)
class Abscissa:
    label: str
    of: Callable[[Case], int]


ELEMENTS = Abscissa("n", lambda case: case.n)
LENGTHS = Abscissa("elements of a segment", lambda case: int(case.operation.rpartition("_")[2]))


def write_plots(run: Run, folder: Path, only: Collection[str] | None = None) -> list[Path]:
    """All plots, or those of the names `only`, and then no PNG. Returns the SVG files of the light theme; the others
    lie beside them."""
    folder.mkdir(parents=True, exist_ok=True)
    formats: dict[str, dict[str, Any]] = {"svg": {"metadata": {"Date": None}}}
    if only is None:
        formats["png"] = {"dpi": 150}
    written = []
    for name, draw in drawings(run):
        if only is not None and name not in only:
            continue
        for theme in THEMES:
            with matplotlib.rc_context(theme.parameters()):
                figure = draw(theme)
                for ending, options in formats.items():
                    figure.savefig(folder / f"{name}{theme.suffix}.{ending}", bbox_inches="tight", **options)
                pyplot.close(figure)
        written.append(folder / f"{name}.svg")
    return written


def drawings(run: Run) -> list[tuple[str, Callable[[Theme], Figure]]]:
    """Name and drawing of every plot the run has data for."""
    found: list[tuple[str, Callable[[Theme], Figure]]] = []
    ratios = families(run)
    if ratios:
        found.append(("ratios", partial(draw_ratios, run, ratios)))
    for key, series in series_by_type(run).items():
        found.append((file_name(key), partial(draw_series, run, key, series, ELEMENTS)))
    for key, series in series_by_length(run).items():
        found.append((f"{file_name(key)}-lengths", partial(draw_series, run, key, series, LENGTHS)))
    for key in in_order(by_distribution(run)):
        name = f"{file_name(key)}-distributions-{key.n}"
        found.append((name, partial(draw_distributions, run, key)))
    return found


def file_name(key: Case) -> str:
    return f"{key.operation}-{key.type}".replace("+", "_")


def series_by_type(run: Run) -> dict[Case, Series]:
    """Per operation and type what was measured at several n on uniform keys, by contender in rising n. Calls for a
    single key, which is sorted already, take so little that they would set the scale."""
    found: dict[Case, Series] = {}
    for case, measured in sorted(run.measurements.items()):
        if case.distribution == UNIFORM and (case.operation != LATENCY or case.n > 1):
            key = Case(case.operation, case.type, UNIFORM, 0, "")
            found.setdefault(key, {}).setdefault(case.contender, []).append(measured)
    return long_enough(found)


def series_by_length(run: Run) -> dict[Case, Series]:
    """Per operation on segments and type what was measured of the most uniform keys, by contender in rising lengths."""
    uniform = {case: measured for case, measured in run.measurements.items()
               if case.distribution == UNIFORM and case.operation.startswith(SEGMENTED)}
    most = max((case.n for case in uniform), default=0)
    found: dict[Case, Series] = {}
    for case in sorted((case for case in uniform if case.n == most), key=LENGTHS.of):
        key = Case(case.operation.rpartition("_")[0], case.type, UNIFORM, 0, "")
        found.setdefault(key, {}).setdefault(case.contender, []).append(uniform[case])
    return long_enough(found)


def long_enough(found: dict[Case, Series]) -> dict[Case, Series]:
    """Those lines that have several points, where there is one of ours."""
    kept = {}
    for key in in_order(found):
        long = {name: points for name, points in found[key].items() if len(points) >= LEAST_SIZES}
        if OURS in long:
            kept[key] = long
    return kept


def heading(run: Run) -> str:
    return f"{run.machine}, {str(run.context.get('date', ''))[:10]}"


def draw_series(run: Run, key: Case, series: Series, over: Abscissa, theme: Theme) -> Figure:
    is_latency = key.operation == LATENCY
    figure, axes = pyplot.subplots(figsize=(7.6, 5.2))
    ends = []
    for name, points in series.items():
        ys = [p.median / 1e3 if is_latency else p.keys_per_second / 1e9 for p in points]
        ends.append((ys[-1], over.of(points[-1].case), name))
        style = look(name)
        axes.plot(
            [over.of(p.case) for p in points],
            ys,
            color=theme.colors[style.color],
            marker=style.marker,
            markersize=6 if name == OURS else 5,
            linestyle=style.dash,
            linewidth=style.width,
            zorder=3 if name == OURS else 2,
        )
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    label_sizes(axes, [over.of(p.case) for points in series.values() for p in points])
    axes.set_xlabel(over.label)
    what = f"{words(key.operation)} {key.type}"
    axes.set_title(f"{what}, {'microseconds per call' if is_latency else 'Gkeys/s'}  ({heading(run)})")
    draw_copy_limit(run, key, series, axes, theme)
    label_values(axes.yaxis, *axes.get_ylim())
    label_ends(axes, ends, theme)
    return figure


def label_sizes(axes: Axes, sizes: list[int]) -> None:
    """The sizes themselves if they are few; else every so many powers of two, or powers of ten."""
    ticks = sorted(set(sizes))
    if len(ticks) > 10 or any(len(size(n)) > 5 for n in ticks):
        low, high = (round(math.log2(n)) for n in (ticks[0], ticks[-1]))
        step = max(1, math.ceil((high - low) / 9))
        ticks = [2**e for e in range(high, low - 1, -step)]
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    powers = len(ticks) > 1 and all(n & (n - 1) == 0 for n in ticks)
    label = (lambda n: f"$2^{{{n.bit_length() - 1}}}$") if powers else exponent_label
    axes.xaxis.set_major_formatter(FuncFormatter(lambda n, _: label(round(n))))


def label_values(axis: Axis, low: float, high: float) -> None:
    """Powers of ten and, the shorter the range, others between them."""
    between = (1, 2, 5) if high / low < 100 else (1, 3) if high / low < 3000 else (1,)
    axis.set_major_locator(LogLocator(10, subs=between))
    axis.set_major_formatter(FuncFormatter(lambda value, _: significant(value, 1)))
    axis.set_minor_locator(NullLocator())


def exponent_label(n: int) -> str:
    base, caret, exponent = size(n).partition("^")
    return f"${base}^{{{exponent}}}$" if caret else base


def copy_limit(run: Run, key: Case, bytes_per_key: float | None) -> float | None:
    """Gkeys/s of a copy within the device, which reads and writes each byte once; None for work on host data."""
    copy = run.number("copy_gbytes_per_second")
    if copy is None or not bytes_per_key or run.extent == "host" or key.operation.startswith(("host_", LATENCY)):
        return None
    return copy / (2 * bytes_per_key)


def draw_copy_limit(run: Run, key: Case, series: Series, axes: Axes, theme: Theme) -> None:
    limit = copy_limit(run, key, series[OURS][-1].bytes_per_key)
    if limit is None:
        return
    axes.axhline(limit, color=theme.text, linestyle=(0, (2, 2)), linewidth=1)
    axes.annotate(
        f"copy limit {significant(limit)}",
        (0, limit),
        xycoords=("axes fraction", "data"),
        xytext=(4, 3),
        textcoords="offset points",
        fontsize=9,
    )
    axes.set_ylim(top=max(limit * 1.6, axes.get_ylim()[1]))  # what selects, and writes little, goes beyond it


def label_ends(axes: Axes, ends: list[tuple[float, int, str]], theme: Theme) -> None:
    """The contenders' names at the right, in the order of their lines' ends, pushed apart where those are close. A thin
    line leads there from the line's end, to the right first, so that no two cross."""
    to_axes = axes.transData + axes.transAxes.inverted()
    axes.figure.canvas.draw()
    wanted = sorted((float(to_axes.transform((n, y))[1]), n, y, name) for y, n, name in ends)
    heights = spread_out([height for height, *_ in wanted], LABEL_GAP)
    for (end, n, y, name), height in zip(wanted, heights, strict=True):
        start = float(to_axes.transform((n, y))[0])
        color = theme.colors[look(name).color]
        in_axes: dict[str, Any] = {"transform": axes.transAxes, "clip_on": False, "color": color}
        axes.plot([start + 0.012, 1.0, 1.035], [end, end, height], linewidth=0.7, **in_axes)
        axes.plot(1.035, height, look(name).marker, markersize=5, **in_axes)
        weight = "bold" if name == OURS else "normal"
        axes.text(1.055, height, name, va="center", fontsize=9, fontweight=weight, **in_axes)


def spread_out(heights: list[float], gap: float) -> list[float]:
    """Rising heights moved as little as needed to lie `gap` apart: neighbours that collide form a block, which is
    centred on where its members want to be and grows while it touches the block below."""
    blocks: list[list[float]] = []
    for height in heights:
        blocks.append([height])
        while len(blocks) > 1 and bottom(blocks[-1], gap) < bottom(blocks[-2], gap) + len(blocks[-2]) * gap:
            top = blocks.pop()
            blocks[-1] += top
    return [bottom(block, gap) + i * gap for block in blocks for i in range(len(block))]


def bottom(block: list[float], gap: float) -> float:
    return sum(block) / len(block) - (len(block) - 1) * gap / 2


def draw_distributions(run: Run, key: Case, theme: Theme) -> Figure:
    """Bars of our throughput, uniform keys first; those that fall short of the dashed line are hatched."""
    found = by_distribution(run)[key]
    uniform = found[0].uniform
    reference = uniform.keys_per_second / 1e9
    measured = [uniform, *(s.measured for s in reversed(found))]
    figure, axes = bar_axes([words(m.case.distribution) for m in measured])
    for row, m in enumerate(measured):
        gkeys = m.keys_per_second / 1e9
        is_good = m.median <= WORST_SLOWDOWN * uniform.median
        draw_bar(axes, row, (0, gkeys), (0, LONGEST_BAR * reference), is_good, significant(gkeys), theme)
    limit = reference / WORST_SLOWDOWN
    axes.axvline(limit, color=theme.text, linestyle=(0, (4, 2)), linewidth=1, zorder=3)
    axes.annotate(f"uniform / {WORST_SLOWDOWN}", (limit, 0), xycoords=("data", "axes fraction"), xytext=(0, -24),
                  textcoords="offset points", fontsize=8, ha="center")  # fmt: skip
    axes.set_title(f"{words(key.operation)} {key.type}, n = {exponent_label(key.n)}, Gkeys/s  ({heading(run)})")
    return figure


def bar_axes(labels: list[str]) -> tuple[Figure, Axes]:
    figure, axes = pyplot.subplots(figsize=(7.6, 0.7 + 0.25 * len(labels)))
    axes.set_yticks(range(len(labels)), labels, fontsize=9)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    return figure, axes


def draw_bar(
    axes: Axes, row: int, ends: tuple[float, float], bounds: tuple[float, float], good: bool, label: str, theme: Theme
) -> None:
    """Good bars are filled, others hatched. What goes beyond the bounds is cut off there, and an arrow says so; the
    label has a ground of its own, so that no line runs through it."""
    color = theme.colors["blue" if good else "vermilion"]
    start, end = (min(max(x, bounds[0]), bounds[1]) for x in ends)
    axes.barh(row, end - start, left=start, color=color if good else theme.background, edgecolor=color,
              hatch=None if good else "///", zorder=2)  # fmt: skip
    axes.annotate(
        label if end == ends[1] else f"→ {label}",
        (max(start, end), row),
        xytext=(4, 0),
        textcoords="offset points",
        va="center",
        fontsize=8,
        zorder=4,
        bbox={"facecolor": theme.background, "edgecolor": "none", "pad": 0.8},
    )


def families(run: Run) -> dict[str, list[tuple[float, Measurement]]]:
    """By kind of operation, whatever its parameter: our throughput over the best peer's, and that peer, at the largest n
    of every operation and type, uniform keys."""
    largest: dict[Case, tuple[float, Measurement]] = {}
    for case, contenders in run.groups().items():
        peer = best_peer(contenders)
        if case.distribution == UNIFORM and OURS in contenders and peer:
            value = peer.median / contenders[OURS].median
            largest[Case(case.operation, case.type, "", 0, "")] = value, peer
    found: dict[str, list[tuple[float, Measurement]]] = {}
    for key in in_order(largest):
        found.setdefault(family(key.operation), []).append(largest[key])
    return found


def family(operation: str) -> str:
    """The operation without the number at its end, and without the law that segments' lengths follow."""
    plain = re.sub(r"_\d+$", "", operation)
    return re.sub(r"_(even|geometric|log_normal|power_law)$", "", plain) if plain.startswith(SEGMENTED) else plain


def draw_ratios(run: Run, ratios: dict[str, list[tuple[float, Measurement]]], theme: Theme) -> Figure:
    """A dot for every type and parameter on a logarithmic scale, and a bar from the least to the greatest."""
    figure, axes = bar_axes([words(name) for name in ratios])
    axes.set_xscale("log")
    for row, found in enumerate(ratios.values()):
        values = sorted(value for value, _ in found)
        shown = [min(value, LONGEST_RATIO) for value in values]
        color = [theme.colors["blue" if value >= 1 else "vermilion"] for value in values]
        axes.hlines(row, shown[0], shown[-1], color=theme.colors["blue"], alpha=0.25, linewidth=9, zorder=2)
        axes.scatter(shown, [row] * len(shown), color=color, s=16, zorder=3)
        peers = sorted({peer.case.contender.removesuffix("_new") for _, peer in found})
        label = ratio(values[0]) if len(values) == 1 else f"{ratio(values[0])} to {ratio(values[-1])}"
        at = (LONGEST_RATIO * 1.15, row)
        axes.annotate(f"{label}  {', '.join(peers)}", at, va="center", fontsize=8, annotation_clip=False)
    axes.set_xlim(0.6, LONGEST_RATIO * 1.1)
    label_values(axes.xaxis, 1, LONGEST_RATIO)
    axes.axvline(1, color=theme.text, linewidth=1, zorder=1)
    axes.set_title(f"Throughput over the best peer's, every type and parameter  ({heading(run)})")
    return figure
