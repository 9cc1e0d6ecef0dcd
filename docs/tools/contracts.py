"""Copies the contracts of the public functions, as their headers state them, into the pages of docs/algorithms.

A page has two lines, '<!-- contract of NAME in HEADER -->' and '<!-- end of contract -->'; what stands between them is
written here: the ways to call the function, then what it does.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MARKED = re.compile(r"(<!-- contract of (\w+) in (\S+) -->\n)(.*?)(<!-- end of contract -->)", re.DOTALL)
DECLARED = re.compile(
    r"inline constexpr \S+ (\w+)\{\};|^__device__ \w+ (\w+)\(|^\w+ (\w+)\(const Policy& policy", re.MULTILINE
)
COMMENT = re.compile(r"((?:^///.*\n)+)((?:(?!^$|^///).*\n)*)", re.MULTILINE)


class ContractError(Exception):
    """A page names a function that no header documents."""


def comments(header: str) -> dict[str, list[str]]:
    """Lines of the comment before each function or function object, by name. Of overloads the first."""
    found: dict[str, list[str]] = {}
    for comment, code in COMMENT.findall(header):
        declared = DECLARED.search(code)
        if declared:
            lines = [line.removeprefix("///").removeprefix(" ") for line in comment.splitlines()]
            found.setdefault(declared[1] or declared[2] or declared[3], lines)
    return found


def split(name: str, lines: list[str]) -> tuple[list[str], list[str]]:
    """The ways to call `name` in front, and the rest."""
    count = 0
    while count < len(lines):
        continued = count > 0 and (lines[count].startswith("  ") or lines[count - 1].endswith(","))
        if not lines[count].startswith(f"{name}(") and not continued:
            break
        count += 1
    return lines[:count], lines[count:]


def paragraphs(lines: list[str]) -> str:
    """A comment as Markdown: what is indented is an example, which the page has in a form that is compiled."""
    text = [line for line in lines if not line.startswith("  ")]
    joined = " ".join(text).strip()
    return re.sub(r"(?<![\w`])(\w+::\w[\w:]*|par_nosync|[a-z]+_[a-z_]+|errc::\w+)(?![\w`])", r"`\1`", joined)


def contract(name: str, header: Path) -> str:
    if not header.is_file():
        raise ContractError(f"there is no {header}")
    lines = comments(header.read_text(encoding="utf-8")).get(name)
    if lines is None:
        raise ContractError(f"{header} documents no {name}")
    calls, rest = split(name, lines)
    shown = "\n".join(calls).replace("), ", "),\n")
    fence = f"```c++\n{shown}\n```\n\n" if calls else ""
    return f"{fence}{paragraphs(rest)}\n"


def refreshed(page: str, root: Path = ROOT) -> str:
    return MARKED.sub(lambda m: m[1] + contract(m[2], root / m[3]) + m[5], page)


def pages(root: Path = ROOT) -> list[Path]:
    return sorted((root / "docs").rglob("*.md"))


def documented(root: Path = ROOT) -> set[str]:
    """Names of functions that have a contract on some page."""
    return {found[1] for page in pages(root) for found in MARKED.findall(page.read_text(encoding="utf-8"))}


def public_functions(root: Path = ROOT) -> set[str]:
    """Functions and function objects that the public headers declare: what users call with a policy."""
    declared = re.compile(r"^inline constexpr detail::\S+ (\w+)\{\};|^\w+ (\w+)\(const Policy& policy", re.MULTILINE)
    headers = (root / "include" / "gpu").glob("*.hpp")
    found = (names for header in headers for names in declared.findall(header.read_text(encoding="utf-8")))
    return {first or second for first, second in found}
