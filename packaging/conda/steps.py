"""Reads packaging/conda/recipe.yaml and runs the commands of its build script as conda would, with PREFIX, SRC_DIR and
CPU_COUNT set, so that a machine without conda tries them.

  steps.py WORK PREFIX
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import yaml

RECIPE = Path(__file__).with_name("recipe.yaml")
ROOT = RECIPE.parents[2]
SECTIONS = {"schema_version", "context", "package", "source", "build", "requirements", "tests", "about", "extra"}


def fail(words: str) -> None:
    sys.exit(f"packaging/conda/recipe.yaml: {words}")


def main(work: Path, prefix: Path) -> None:
    recipe = yaml.safe_load(RECIPE.read_text(encoding="utf-8"))
    if unknown := set(recipe) - SECTIONS:
        fail(f"the recipe format has no {sorted(unknown)}")
    found = re.search(r"\n  VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
    if not found or recipe["context"]["version"] != found[1]:
        fail("its version is not that of CMakeLists.txt")
    if (RECIPE.parent / recipe["source"]["path"]).resolve() != ROOT:
        fail("its source is not this tree")
    if not (ROOT / recipe["about"]["license_file"]).is_file():
        fail("there is no such licence file")
    work.mkdir(parents=True, exist_ok=True)
    count = str(os.cpu_count())
    there = {"PREFIX": str(prefix), "SRC_DIR": str(ROOT), "CPU_COUNT": count, "GPUPAR_CUDA": "OFF"}
    for command in recipe["build"]["script"]["content"]:
        done = subprocess.run(["bash", "-c", command], cwd=work, env=os.environ | there, capture_output=True, text=True)
        if done.returncode != 0:
            fail(f"{command}\n{done.stdout}{done.stderr}")
    for check in (test["package_contents"]["files"] for test in recipe["tests"] if "package_contents" in test):
        for name in check:
            if not (prefix / name).exists():
                fail(f"the package lacks {name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
