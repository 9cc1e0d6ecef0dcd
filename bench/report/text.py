"""Numbers, sizes and Markdown tables that read as well on a terminal as on a page."""

from __future__ import annotations

from collections.abc import Sequence

MISSING = "-"
LONGEST_PADDED = 64  # a longer cell makes its own line longer, not all others


def significant(value: float | None, digits: int = 3) -> str:
    """Plain decimal notation: 0.0123, 1.23, 12.3, 1230."""
    if value is None:
        return MISSING
    if value == 0:
        return "0"
    rounded = float(f"{value:.{digits - 1}e}")
    exponent = int(f"{rounded:e}".split("e")[1])
    return f"{rounded:.{max(digits - 1 - exponent, 0)}f}"


def percent(value: float | None) -> str:
    if value is None:
        return MISSING
    return f"{100 * value:.0f} %" if value >= 0.095 else f"{100 * value:.1f} %"


def ratio(value: float | None) -> str:
    return MISSING if value is None else f"{value:.2f}" if value < 100 else f"{value:.0f}"


def size(n: int) -> str:
    """2^28, 2^32 + 1, 10^6, or the digits."""
    for offset in (0, 1, -1):
        power = n - offset
        if n >= 64 and power & (power - 1) == 0:
            return f"2^{power.bit_length() - 1}" + ("" if offset == 0 else " + 1" if offset == 1 else " - 1")
    digits = str(n)
    if n >= 1000 and digits == "1" + "0" * (len(digits) - 1):
        return f"10^{len(digits) - 1}"
    return digits


def words(name: str) -> str:
    """A name of the program's, for people: few_distinct_16 is few distinct 16."""
    return name.replace("_", " ")


def table(header: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """A Markdown table in padded columns; the first `left` columns are aligned to the left, the others to the right."""
    lengths = [[len(row[i]) for row in [header, *rows]] for i in range(len(header))]
    widths = [max(n for n in column if n <= LONGEST_PADDED or n == column[0]) for column in lengths]

    def line(cells: Sequence[str]) -> str:
        padded = [c.ljust(w) if i < left else c.rjust(w) for i, (c, w) in enumerate(zip(cells, widths, strict=True))]
        return "| " + " | ".join(padded) + " |"

    rule = ["-" * w if i < left else "-" * (w - 1) + ":" for i, w in enumerate(widths)]
    return "\n".join([line(header), line(rule), *(line(row) for row in rows)])


def section(title: str, *paragraphs: str, level: int = 2) -> str:
    return "\n\n".join(["#" * level + " " + title, *(p for p in paragraphs if p)])
