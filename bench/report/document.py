"""The folder that a run becomes: results.json, table.md, paper.md and plots/."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

from . import paper_tables, table, verdicts
from .results import Case, Run, tidy_copy
from .text import section

CONTEXT = {
    "date": "date",
    "commit": "commit",
    "extent": "extent",
    "gpu": "GPU",
    "driver": "driver",
    "cuda": "CUDA",
    "sm_clock_mhz": "SM clock, MHz",
    "memory_clock_mhz": "memory clock, MHz",
    "copy_gbytes_per_second": "copy within the device, GB/s",
    "h2d_gbytes_per_second": "host to device, GB/s",
    "d2h_gbytes_per_second": "device to host, GB/s",
    "host_cpu": "CPU",
    "host_threads": "host threads",
}
READING = (
    "Medians of the repetitions; spread is their interquartile range over the median. The best peer is the fastest "
    "contender that is not gpupar's, and the ratio our speed over its: above 1, gpupar is faster."
)


def slug(run: Run) -> str:
    """2026-11-21-h200-quick."""
    where = re.sub(r"[^a-z0-9]+", "-", run.machine.lower() if run.has_gpu and run.extent != "host" else "host")
    where = where.removeprefix("nvidia-")
    return "-".join(part for part in (str(run.context.get("date", ""))[:10], where.strip("-"), run.extent) if part)


def context_text(run: Run) -> str:
    lines = [f"- {label}: {run.context[key]}" for key, label in CONTEXT.items() if run.context.get(key)]
    return "\n".join([*lines, f"- left out: {run.context.get('left_out') or 'nothing'}"])


def cases_section(title: str, cases: dict[Case, str]) -> str:
    lines = [f"- {case}: {message}" for case, message in sorted(cases.items())]
    return section(title, "\n".join(lines)) if lines else ""


def table_document(run: Run) -> str:
    sections = [
        section("Benchmark of gpupar", context_text(run), READING, level=1),
        cases_section("Failed cases", run.errors),
        cases_section("Skipped cases", run.skipped),
        table.summary_section(run),
        *table.operation_sections(run),
        table.algorithms_section(run),
        table.distributions_section(run),
        table.spread_section(run),
        table.kinds_section(run),
        table.scratch_section(run),
        verdicts.targets_section(run),
    ]
    return "\n\n".join(text for text in sections if text) + "\n"


def write_documents(run: Run, results: Path, folder: Path) -> str:
    """Returns the table, for the terminal. The results come first: whatever fails later, they are kept."""
    folder.mkdir(parents=True, exist_ok=True)
    tidy_copy(results, folder / "results.json")
    text = table_document(run)
    (folder / "table.md").write_text(text, encoding="utf-8")
    paper = paper_tables.paper_document(run)
    if paper:
        (folder / "paper.md").write_text(paper, encoding="utf-8")
    return text


def add_plots(run: Run, folder: Path, packages: Path, only: Collection[str] | None = None) -> str:
    """Every plot as SVG and PNG, or those of some names as SVG. Says what was written, or why there are no plots; never
    fails for want of matplotlib."""
    if not has_matplotlib(packages):
        return "no plots: matplotlib is missing and could not be installed (pip install matplotlib)"
    from . import plots

    written = plots.write_plots(run, folder / "plots", only)
    return f"{len(written)} plots in {folder / 'plots'}"


def has_matplotlib(packages: Path) -> bool:
    """Installs it into the folder `packages` if it is missing, so that nothing outside the build folder changes."""
    if packages.is_dir():
        sys.path.append(str(packages))
    if can_import_matplotlib():
        return True
    print("matplotlib is missing; installing it into", packages, flush=True)
    command = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--retries=1",
               "--timeout=10", "--target", str(packages), "matplotlib"]  # fmt: skip
    if subprocess.run(command, check=False).returncode != 0:
        return False
    sys.path.append(str(packages))
    return can_import_matplotlib()


def can_import_matplotlib() -> bool:
    """A broken installation raises more than ImportError, and none of it may cost a run its report."""
    try:
        import matplotlib.figure  # noqa: F401
    except Exception:
        return False
    return True
