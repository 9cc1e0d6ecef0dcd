"""What MkDocs does to these pages that it does not do by itself: files of the repository that a page links to become
part of the site, below repository/, and pictures follow the site's switch between light and dark."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]
AS_THEY_ARE = {".md", ".svg", ".png", ".json"}  # others are shown as text
LINK = re.compile(r"(?<=\]\()([^)\s#]+)(#[^)\s]*)?(?=\))")
PICTURE = re.compile(r"<picture><source [^>]*srcset=\"([^\"]+)\"><img src=\"([^\"]+)\" alt=\"([^\"]*)\"></picture>")


def real_path(src_uri: str) -> str:
    """Where a page of the site is in the repository."""
    return src_uri.removeprefix("repository/") if src_uri.startswith("repository/") else f"docs/{src_uri}"


def site_path(real: str) -> str:
    """Where a file of the repository is in the site."""
    if real.startswith("docs/"):
        return real.removeprefix("docs/")
    return f"repository/{real}" + ("" if Path(real).suffix in AS_THEY_ARE else ".txt")


def target_of(page: str, link: str) -> str | None:
    """What a link on the page at `page` in the repository leads to, if that is in the repository."""
    if re.match(r"[a-z]+:|/", link):
        return None
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), link))


def with_pictures(text: str) -> str:
    return PICTURE.sub(r"![\3](\2#only-light) ![\3](\1#only-dark)", text)


def linked(page: str) -> Iterator[str]:
    text = with_pictures((ROOT / page).read_text(encoding="utf-8"))
    for match in LINK.finditer(text):
        target = target_of(page, match[1])
        if target is not None and not target.startswith(("docs/", "..")) and (ROOT / target).is_file():
            yield target


def on_files(files: Files, config: Any) -> Files:
    waiting = [f"docs/{file.src_uri}" for file in files.documentation_pages()]
    known: set[str] = set()
    while waiting:
        for target in linked(waiting.pop()):
            if target not in known:
                known.add(target)
                files.append(File.generated(config, site_path(target), abs_src_path=str(ROOT / target)))
                if target.endswith(".md"):
                    waiting.append(target)
    return files


def search_boost(src_uri: str) -> float:
    """Who searches wants the page of a call first, and measurements and attempts last."""
    if src_uri.startswith(("repository/", "log/")):
        return 0.2
    return 3.0 if src_uri.startswith("algorithms/") else 1.0


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    here = page.file.src_uri
    page.meta["search"] = {"boost": search_boost(here)}

    def moved(match: re.Match[str]) -> str:
        target = target_of(real_path(here), match[1])
        if target is None or target.startswith(".."):
            return match[0]
        if (ROOT / target).is_dir():  # folders are not shown: the nearest thing to one is how they are laid out
            return posixpath.relpath("layout.md", posixpath.dirname(here))
        return posixpath.relpath(site_path(target), posixpath.dirname(here)) + (match[2] or "")

    return LINK.sub(moved, with_pictures(markdown))


def with_own_worker(output: str, url: str) -> str:
    """Material loads from another host what lets the search run from files; here it comes from the site."""
    own = posixpath.relpath("assets/iframe_worker.js", posixpath.dirname(url) or ".")
    return output.replace("https://unpkg.com/iframe-worker/shim", own)


def on_post_page(output: str, page: Any, **_: Any) -> str:
    return with_own_worker(output, page.url)


def on_post_template(output: str, template_name: str, **_: Any) -> str:
    return with_own_worker(output, template_name)
