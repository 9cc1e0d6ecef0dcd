"""gpupar_bench: finding, building and running it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = "g++ cmake ninja-build pkg-config libtbb-dev libbenchmark-dev"
BUILD = f"""
set -euo pipefail
source cmake/bootstrap.sh
install_packages {PACKAGES}
options=(-DGPUPAR_BUILD_BENCH=ON)
[ -e "$build/CMakeCache.txt" ] || options+=(-DGPUPAR_BUILD_TESTS=OFF -DGPUPAR_BUILD_EXAMPLES=OFF)
configure "${{options[@]}}"
cmake --build "$build" --parallel "$jobs" --target "$1"
"""


class ProgramError(Exception):
    """There is no program to run, or it left no results."""


def built(folder: Path, extent: str, program: str = "gpupar_bench") -> Path:
    """Builds what is not up to date in the folder, in Release, and returns the program."""
    if extent != "host" and not has_nvcc():
        raise ProgramError(f"'{extent}' measures a GPU, and there is no nvcc to build for one; 'host' needs none")
    environment = os.environ | {"GPUPAR_BUILD_DIR": str(folder.resolve())}
    if subprocess.run(["bash", "-c", BUILD, "build", program], cwd=ROOT, env=environment, check=False).returncode != 0:
        raise ProgramError("the build failed; --program measures with a program built elsewhere")
    return folder / "bench" / program


def has_nvcc() -> bool:
    """In the places where cmake/FindDeviceCompiler.cmake looks."""
    homes = [os.environ.get("CUDA_PATH"), os.environ.get("CUDA_HOME"), "/usr/local/cuda"]
    paths = [str(Path(home) / "bin" / "nvcc") for home in homes if home]
    return any(shutil.which(name) for name in (os.environ.get("CUDACXX") or "nvcc", *paths))


def measure(program: Path, extent: str, filter: str | None) -> tuple[Path, int]:
    """Runs the program, its progress on this terminal. Returns its JSON file, in a temporary folder, and its status."""
    if not (program.is_file() and os.access(program, os.X_OK)):
        raise ProgramError(f"{program} is no program")
    results = Path(tempfile.mkdtemp(prefix="gpupar-bench-")) / "results.json"
    flags = [f"--extent={extent}", f"--benchmark_out={results}", "--benchmark_out_format=json"]
    if filter:
        flags.append(f"--benchmark_filter={filter}")
    beside = f"{program.resolve().parent}:{os.environ.get('LD_LIBRARY_PATH', '')}"  # of a pack, its libraries
    sys.stdout.flush()
    status = subprocess.run([str(program.resolve()), *flags], check=False,
                            env=os.environ | {"LD_LIBRARY_PATH": beside}).returncode
    if not results.is_file() or results.stat().st_size == 0:
        raise ProgramError(f"{program.name} ended with status {status} and left no results")
    return results, status
