"""docs/check: what is wrong with README.md and docs/, and, with an argument, with the site that was made of them there.

  check.py            links and headings; contracts as the headers have them; a page for every public function; every
                      page in the site's navigation; every block of C++ includes what it is about
  check.py --refresh  copies the contracts from the headers first
  check.py SITE       links of the site's pages, and nothing loaded from another host
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import contracts
import links

ROOT = contracts.ROOT
BLOCK = re.compile(r"^```(?:cpp|cuda)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def shown(path: Path) -> str:
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def markdown_pages() -> list[Path]:
    others = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "bench/README.md", "packaging/README.md"]
    return [path for path in map(ROOT.joinpath, others) if path.exists()] + contracts.pages()


def stale_contracts() -> Iterator[str]:
    for page in contracts.pages():
        text = page.read_text(encoding="utf-8")
        try:
            if contracts.refreshed(text) != text:
                yield f"{shown(page)}: is not what the header says: run docs/check --refresh"
        except contracts.ContractError as error:
            yield f"{shown(page)}: {error}"


def undocumented() -> Iterator[str]:
    for name in sorted(contracts.public_functions() - contracts.documented()):
        yield f"no page of docs/ has the contract of gpu::{name}"


def pages_outside_navigation() -> Iterator[str]:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    named = set(re.findall(r"[\w/-]+\.md", navigation))
    found = {path.relative_to(ROOT / "docs").as_posix() for path in contracts.pages()}
    yield from (f"mkdocs.yml: docs/{name} is not in the navigation" for name in sorted(found - named))
    yield from (f"mkdocs.yml: there is no docs/{name}" for name in sorted(named - found))


def blocks_without_header() -> Iterator[str]:
    for page in markdown_pages():
        for block in BLOCK.findall(page.read_text(encoding="utf-8")):
            if "#include <gpu/" not in block:
                yield f"{shown(page)}: a block of C++ includes no header of gpupar"


def long_readme() -> Iterator[str]:
    count = len((ROOT / "README.md").read_text(encoding="utf-8").splitlines())
    if count > 150:
        yield f"README.md has {count} lines, and more than 150 are for docs/"


def refresh() -> None:
    for page in contracts.pages():
        text = page.read_text(encoding="utf-8")
        page.write_text(contracts.refreshed(text), encoding="utf-8")


def problems_of_sources() -> list[str]:
    found = list(links.broken(markdown_pages()))
    for look in (stale_contracts, undocumented, pages_outside_navigation, blocks_without_header, long_readme):
        found += look()
    return found


def problems_of_site(site: Path) -> list[str]:
    for_servers = {site / "404.html"}
    pages = sorted(set(site.rglob("*.html")) - for_servers)
    if not pages:
        return [f"{site} has no pages"]
    return list(links.broken(pages, offline=True))


def main(arguments: list[str]) -> int:
    if arguments == ["--refresh"]:
        refresh()
        arguments = []
    found = problems_of_site(Path(arguments[0])) if arguments else problems_of_sources()
    for problem in found:
        print(problem.replace(f"{ROOT}/", ""), file=sys.stderr)
    print(f"docs: {len(found)} problems in {arguments[0] if arguments else 'the sources'}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
