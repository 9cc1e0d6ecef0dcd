"""The targets beside what a run reached, as tables."""

from __future__ import annotations

from .measures import Figure
from .results import Run
from .targets import MET, MISSED, NOT_MEASURED, Outcome, Part, Target, evaluate
from .text import MISSING, ratio, section, table

NOTE = (
    "Ratios of throughput at n = 2^28 on uniform keys unless said. A target is met when all its parts are. Peers "
    "that a run does not measure (libcusort, TNL, Manca et al., 23 us for a call of Thrust's) were measured apart, on "
    "an H200. The targets without a GPU are for `bench/run host`."
)


def bounds(parts: tuple[Part, ...], of: str) -> str:
    """1.6, or 2 / 3 where parts differ, or <= 1.25."""
    values = list(dict.fromkeys(getattr(part, of) for part in parts))
    text = " / ".join(MISSING if value is None else f"{value:g}" for value in values)
    return f"<= {text}" if parts[0].at_most and text != MISSING else text


def figure_text(part: Part, figure: Figure | None) -> str:
    if figure is None:
        return MISSING
    label = ", ".join(text for text in (part.label, figure.label) if text)
    return ratio(figure.value) + (f" ({label})" if label else "")


def decisive(outcome: Outcome) -> str:
    """The figure that is furthest from its bound, or least beyond it, or all of them; and what was not measured."""
    measured = [(p, f) for p, f in zip(outcome.target.parts, outcome.figures, strict=True) if f]
    if not measured:
        return MISSING
    measured.sort(key=lambda m: m[0].must / m[1].value if m[0].at_most else m[1].value / m[0].must)
    missing = [p.label for p, f in zip(outcome.target.parts, outcome.figures, strict=True) if f is None]
    if outcome.target.every_part:
        figures = "; ".join(figure_text(*one) for one in measured)
    else:
        figures = figure_text(*measured[0]) + (f", worst of {len(measured)}" if len(measured) > 1 else "")
    return figures + (f"; not measured: {', '.join(missing)}" if missing else "")


def parts_table(outcomes: list[Outcome]) -> str:
    rows = []
    for outcome in outcomes:
        target = outcome.target
        for part, figure in zip(target.parts, outcome.figures, strict=True):
            if figure and len(target.parts) > 1:
                status = Outcome(Target(target.work, target.against, (part,)), (figure,)).status
                rows.append([target.work, bounds((part,), "must"), bounds((part,), "aim"), figure_text(part, figure),
                             status])  # fmt: skip
    return table(["work", "must", "aim", "figure", "status"], rows, left=5) if rows else ""


def targets_table(outcomes: list[Outcome]) -> str:
    rows = [
        [o.target.work, o.target.against, bounds(o.target.parts, "must"), bounds(o.target.parts, "aim"), decisive(o),
         o.status]
        for o in outcomes
    ]  # fmt: skip
    return table(["work", "against", "must", "aim", "figure", "status"], rows, left=6)


def counts(outcomes: list[Outcome]) -> str:
    met, missed, unknown = (sum(o.status.startswith(s) for o in outcomes) for s in (MET, MISSED, NOT_MEASURED))
    return f"{met} met, {missed} missed, {unknown} not measured"


def targets_section(run: Run) -> str:
    outcomes = evaluate(run)
    return section("Targets", NOTE, parts_table(outcomes), targets_table(outcomes), f"{counts(outcomes)}.")
