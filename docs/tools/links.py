"""Links of Markdown and HTML pages that lead nowhere: to a missing file, or to a heading that a page does not have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
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

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value is None:
                continue
            if name in ("id", "name"):
                self.names.add(value)
            elif name in ("href", "src", "srcset"):
                self.links.append(value)


def read(page: Path) -> tuple[set[str], list[str]]:
    """Anchors and links of a page."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".md":
        return anchors_of_markdown(text), links_of_markdown(text)
    found = Anchors()
    found.feed(text)
    return found.names, found.links


def broken(pages: list[Path], outside: bool = False) -> Iterator[str]:
    """What is wrong with the links of `pages`, a sentence each. Addresses of other hosts are wrong, too, where
    `outside` says so: pages that are to work offline load nothing from there."""
    known = {page.resolve(): read(page) for page in pages}
    for page in pages:
        for link in known[page.resolve()][1]:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if outside and parts.scheme in ("http", "https", ""):
                    yield f"{page}: {link} is on another host"
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page.resolve()
            if not target.exists():
                yield f"{page}: there is no {link}"
            elif parts.fragment and target.suffix in (".md", ".html"):
                names = known[target][0] if target in known else read(target)[0]
                if unquote(parts.fragment) not in names:
                    yield f"{page}: {link} has no such heading"
