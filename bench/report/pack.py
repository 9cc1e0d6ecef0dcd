"""A program and the libraries that it needs beside it, in one file: built here, measured on another machine."""

from __future__ import annotations

import re
import shutil
import subprocess
import tarfile
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

PROGRAM = "gpupar_bench"
# What every machine has that runs programs of g++.
EVERYWHERE = re.compile(r"(linux-vdso|ld-linux|libc|libm|libdl|librt|libpthread|libstdc\+\+|libgcc_s)[-.]")


class PackError(Exception):
    """A program lacks a library, or a file is no pack."""


def libraries(program: Path) -> list[Path]:
    """Those that a program is linked with and that another machine may lack; none of one that is linked statically."""
    asked = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=False)
    lines = [line.split() for line in asked.stdout.splitlines() if "=>" in line]
    missing = [words[0] for words in lines if "not" in words]
    if missing:
        raise PackError(f"{program} needs {', '.join(missing)}, which this machine lacks")
    return [Path(words[2]) for words in lines if not EVERYWHERE.match(words[0])]


def pack(program: Path, file: Path) -> list[str]:
    """Writes the program, without symbols where they can be taken out, and its libraries; returns their names."""
    if not program.is_file():
        raise PackError(f"{program} is no program")
    with tempfile.TemporaryDirectory() as folder:
        beside = Path(folder)
        shutil.copy2(program, beside / PROGRAM)
        subprocess.run(["strip", str(beside / PROGRAM)], capture_output=True, check=False)
        for library in libraries(program):
            shutil.copy(library, beside / library.name)
        names = sorted(path.name for path in beside.iterdir())
        with tarfile.open(file, "w:xz") as archive:
            for name in names:
                archive.add(beside / name, name)
    return names


@contextmanager
def unpacked(program: Path) -> Iterator[Path]:
    """A program as it is; of a pack the one in it, in a temporary folder."""
    if not (program.is_file() and tarfile.is_tarfile(program)):
        yield program
        return
    with tempfile.TemporaryDirectory(prefix="gpupar-bench-") as folder:
        with tarfile.open(program) as archive:
            if PROGRAM not in archive.getnames():
                raise PackError(f"{program} holds no {PROGRAM}: make it by bench/run pack")
            archive.extractall(folder)
        yield Path(folder) / PROGRAM
