"""Links of Markdown and HTML pages that lead nowhere: to a missing file, or to a heading that a page does not have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.DOTALL | re.MULTILINE)
INLINE_CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
ATTRIBUTE = re.compile(r"\b(?:src|srcset|href)=\"([^\"]+)\"")
HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)


def slug(heading: str) -> str:
    """The anchor that GitHub and MkDocs make of a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", text).strip())


def anchors_of_markdown(text: str) -> set[str]:
    return {slug(heading) for heading in HEADING.findall(FENCE.sub("", text))}


def links_of_markdown(text: str) -> list[str]:
    text = FENCE.sub("", text)
    return LINK.findall(INLINE_CODE.sub("`code`", text)) + ATTRIBUTE.findall(text)


class Anchors(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []  # what a browser fetches without being asked

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value for name, value in attrs if value}
        self.names.update(value for name, value in values.items() if name in ("id", "name"))
        found = [values[name] for name in ("href", "src", "srcset") if name in values]
        self.links += found
        if tag != "a":
            self.loaded += found


class Page(NamedTuple):
    anchors: set[str]
    links: list[str]
    loaded: list[str]


def read(path: Path) -> Page:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return Page(anchors_of_markdown(text), links_of_markdown(text), [])
    found = Anchors()
    found.feed(text)
    return Page(found.names, found.links, found.loaded)


def is_elsewhere(link: str) -> bool:
    parts = urlsplit(link)
    return bool(parts.scheme or parts.netloc)


def broken(paths: list[Path], offline: bool = False) -> Iterator[str]:
    """What is wrong with the links of these pages, a sentence each; `offline` ones load nothing from another host."""
    known = {path.resolve(): read(path) for path in paths}
    for path in paths:
        page = known[path.resolve()]
        if offline:
            yield from (f"{path}: loads {link}" for link in page.loaded if is_elsewhere(link) and link[:5] != "data:")
        for link in page.links:
            if is_elsewhere(link):
                continue
            parts = urlsplit(link)
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path.resolve()
            if not target.exists():
                yield f"{path}: there is no {link}"
            elif parts.fragment and target.suffix in (".md", ".html"):
                if target not in known:
                    known[target] = read(target)
                if unquote(parts.fragment) not in known[target].anchors:
                    yield f"{path}: {link} has no such heading"
