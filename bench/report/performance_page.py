"""The measurements in docs/performance.md: pictures and targets of one run, between two markers."""

from __future__ import annotations

import os
import re
from pathlib import Path

from .results import Run
from .targets import evaluate
from .verdicts import NOTE, counts, targets_table

BEGIN = "<!-- what follows is written by: bench/run report RESULTS --docs -->"
END = "<!-- end of what is written by bench/run -->"
PICTURES = {
    "ratios": "Throughput of gpupar over that of the best peer, for every operation, type and parameter",
    "sort-u32": "Throughput of sorting 32-bit keys over n, all contenders",
    "sort-u64": "Throughput of sorting 64-bit keys over n, all contenders",
    f"sort-u32-distributions-{2**26}": "Throughput of sorting 2^26 32-bit keys of every distribution",
}


class PageError(Exception):
    """The page has no place for the measurements."""


def shown_plots(root: Path) -> set[str]:
    """Names of the plots that the README and the pages of docs/ show."""
    pages = [root / "README.md", *(root / "docs").rglob("*.md")]
    texts = (page.read_text(encoding="utf-8") for page in pages)
    return {name for text in texts for name in re.findall(r"/plots/([\w-]+?)(?:-dark)?\.svg", text)} | set(PICTURES)


def picture(folder: str, name: str, text: str) -> str:
    return (
        f'<picture><source media="(prefers-color-scheme: dark)" srcset="{folder}/plots/{name}-dark.svg">'
        f'<img src="{folder}/plots/{name}.svg" alt="{text}"></picture>'
    )


def measured_text(run: Run, folder: str) -> str:
    """`folder`: of the run's documents, as seen from the page."""
    about = [run.machine, str(run.context.get("date", ""))[:10], f"commit {run.context.get('commit', 'unknown')}"]
    outcomes = evaluate(run)
    return "\n\n".join(
        [
            f"`bench/run {run.extent}` on one {', '.join(about)}. [Every case]({folder}/table.md), the "
            f"[tables and figures of the sources]({folder}/paper.md) repeated, and the "
            f"[results]({folder}/results.json).",
            *(picture(folder, name, text) for name, text in PICTURES.items()),
            f"Of what must be reached, {counts(outcomes)}. {NOTE}",
            targets_table(outcomes),
        ]
    )


def refresh(page: Path, run: Run, folder: Path) -> None:
    """Writes the run's pictures and targets between the markers."""
    text = page.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise PageError(f"{page} lacks the lines '{BEGIN}' and '{END}'")
    written = measured_text(run, Path(os.path.relpath(folder, page.parent)).as_posix())
    page.write_text(f"{before}{BEGIN}\n\n{written}\n\n{END}{after}", encoding="utf-8")
