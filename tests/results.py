"""What a run of tests found, as JSON in tests/results/, from which tests/scoreboard writes SCOREBOARD.md."""

import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess

TESTS = pathlib.Path(__file__).resolve().parent
FOLDER = pathlib.Path(os.environ.get("GPUPAR_RESULTS", TESTS / "results"))


def commit():
    """The commit that was tested: GPUPAR_COMMIT, else what git says of the working tree."""
    if "GPUPAR_COMMIT" in os.environ:
        return os.environ["GPUPAR_COMMIT"]
    done = subprocess.run(["git", "-C", str(TESTS), "describe", "--always", "--dirty"], capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def device_names():
    """Of all GPUs."""
    if not shutil.which("nvidia-smi"):
        return []
    asked = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True)
    return asked.stdout.splitlines()


def device_name():
    """The first GPU's, or that there is none."""
    return (device_names() or ["no GPU"])[0]


def write_result(name, command, figures, machine="host", details=None):
    """figures: a number for each name; a later run of the same name replaces an earlier one."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    result = {"name": name, "command": command, "commit": commit(), "date": datetime.date.today().isoformat(),
              "machine": machine, "figures": figures}
    if details:
        result["details"] = details
    path = FOLDER / (re.sub(r"[^a-z0-9]+", "-", name.lower()) + ".json")
    path.write_text(json.dumps(result, indent=1) + "\n")
    return path


def figures_of(output):
    """The lines "figure: name = value" that test programs print."""
    return {name: int(value) for name, value in re.findall(r"^figure: (.+) = (\d+)$", output, re.MULTILINE)}
