"""`bench/run devices`: sorts over several devices, and over ranks of MPI, as one table with plots."""

from __future__ import annotations

import datetime
import os
import platform
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from . import document
from .program import ROOT, ProgramError, built, has_nvcc

HEADER = "| what | on | bits | n | ms | throughput |\n|---|---|---|---|---|---|\n"
ROW = re.compile(r"\| ([^|]+) \| (\d+) \| (\d+) \| (\d+) \| ([\d.]+) \| ([\d.]+) ([^|]+) \|")
NO_DEVICE = 77


@dataclass(frozen=True)
class Row:
    what: str
    on: int
    bits: int
    n: int
    ms: float
    throughput: float
    unit: str

    def text(self) -> str:
        return (f"| {self.what} | {self.on} | {self.bits} | {self.n} | {self.ms:.3f} | {self.throughput:.3f} "
                f"{self.unit} |")  # fmt: skip


def rows_of(output: str) -> list[Row]:
    found = ROW.findall(output)
    return [Row(what, int(on), int(bits), int(n), float(ms), float(rate), unit.strip())
            for what, on, bits, n, ms, rate, unit in found]  # fmt: skip


def cores() -> int:
    return len(os.sched_getaffinity(0))


def over_mpi(program: Path, log2_n: int) -> tuple[list[Row], int]:
    """One process on all cores, then 2, 4 … ranks that share them, each with its own."""
    environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    is_open_mpi = "Open MPI" in subprocess.run(["mpirun", "--version"], check=False, capture_output=True, text=True).stdout
    rows, status, ranks = [], 0, 1
    while ranks <= cores():
        threads = cores() // ranks
        command = ["mpirun", "-n", str(ranks)]
        if is_open_mpi:
            command += ["--bind-to", "none"] if ranks == 1 else ["--bind-to", "core", "--map-by", f"slot:PE={threads}"]
        done = subprocess.run([*command, str(program.resolve()), str(log2_n), str(threads)], check=False,
                              env=environment, stdout=subprocess.PIPE, text=True)  # fmt: skip
        rows += rows_of(done.stdout)
        status = status or done.returncode
        ranks *= 2
    return rows, status


def on_devices(program: Path) -> tuple[str, list[Row], int]:
    done = subprocess.run([str(program.resolve())], check=False, stdout=subprocess.PIPE, text=True)
    return done.stdout.partition("\n")[0], rows_of(done.stdout), done.returncode


def ratios(rows: list[Row]) -> str:
    """How fast ranks or devices are together, over one that has all there is."""
    alone = {(row.bits, row.n): row.ms for row in rows if row.on == 1 and row.what == "strong"}
    lines = [f"- {row.on} together, {row.bits}-bit keys, n = {row.n}: {alone[row.bits, row.n] / row.ms:.2f} times one"
             for row in rows if row.what == "strong" and row.on > 1 and (row.bits, row.n) in alone]  # fmt: skip
    return "\n".join(lines)


def section(title: str, rows: list[Row]) -> str:
    return f"## {title}\n\n{HEADER}" + "\n".join(row.text() for row in rows) + f"\n\n{ratios(rows)}\n"


def draw(title: str, rows: list[Row], path: Path) -> None:
    """Keys a second over devices or ranks, a line for each kind of measurement and width."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    from .style import THEMES

    lines: dict[str, list[Row]] = {}
    for row in rows:
        if row.what in ("strong", "weak", "array of the host"):
            lines.setdefault(f"{row.what}, {row.bits} bits", []).append(row)
    for theme in THEMES:
        with matplotlib.rc_context(theme.parameters()):
            figure, axes = pyplot.subplots(figsize=(7.6, 5.2))
            for (name, points), color, marker in zip(lines.items(), theme.colors.values(), "osv^<>DPX", strict=False):
                points = sorted(points, key=lambda row: row.on)
                axes.plot([p.on for p in points], [p.throughput for p in points], color=color, marker=marker, label=name)
            axes.set_xscale("log", base=2)
            axes.set_ylim(bottom=0)
            axes.set_xticks(sorted({row.on for row in rows}), [str(on) for on in sorted({row.on for row in rows})])
            axes.set_xlabel(title)
            axes.set_title("Gkeys/s")
            axes.legend(frameon=False)
            for ending in ("svg", "png"):
                options = {"metadata": {"Date": None}} if ending == "svg" else {"dpi": 150}
                figure.savefig(path.with_name(f"{path.name}{theme.suffix}.{ending}"), bbox_inches="tight", **options)
            pyplot.close(figure)


def scaling(build: Path, program: Path | None, out: Path | None, plots: bool, log2_n: int = 24) -> int:
    """Measures what there is: devices, if there is an nvcc and a device; ranks, if there is an MPI. A program that was
    built elsewhere is measured alone."""
    parts: list[tuple[str, str, list[Row]]] = []
    machine, status = "host", 0
    over_ranks = program.name.endswith("ranks") if program else shutil.which("mpirun") is not None
    if has_nvcc() if program is None else not over_ranks:
        name, rows, ended = on_devices(program or built(build, "devices", "gpupar_bench_devices"))
        if rows:
            parts.append(("devices", f"Devices: {name}", rows))
            machine = re.sub(r"[^a-z0-9]+", "-", name.lower().partition("nvidia")[2]).strip("-") or "devices"
        status = 0 if ended == NO_DEVICE else ended
    if over_ranks:
        rows, ended = over_mpi(program or built(build, "host", "gpupar_bench_ranks"), log2_n)
        parts.append(("ranks", f"Ranks of MPI on {cores()} cores of one machine ({processor()})", rows))
        status = status or ended
    if not parts:
        raise ProgramError("'devices' measures several devices, or ranks of MPI: there is neither a device nor mpirun")
    folder = out or ROOT / "bench" / "results" / f"{datetime.date.today()}-{machine}-devices"
    (folder / "plots").mkdir(parents=True, exist_ok=True)
    text = "\n".join(section(title, rows) for _, title, rows in parts)
    (folder / "table.md").write_text(f"# Several devices and ranks\n\nMedians of five runs.\n\n{text}", encoding="utf-8")
    print(text, f"table in {folder}", sep="\n")
    if plots and document.has_matplotlib(build / "python"):
        for name, _, rows in parts:
            draw(name, rows, folder / "plots" / name)
    return status


def processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines() if Path("/proc/cpuinfo").exists() else []:
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()
