"""bench/run and bench/compare as a user starts them, with a stand-in for gpupar_bench."""

import json
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import synthetic
from report import document, pack, performance_page
from report.results import load

BENCH = Path(document.__file__).resolve().parents[1]

# Prints its arguments, copies the JSON file beside it to where --benchmark_out says, and ends with a status.
PROGRAM = """#!/bin/sh
echo "arguments: $*"
for argument in "$@"; do
  case $argument in --benchmark_out=*) cp "$(dirname "$0")/given.json" "${{argument#*=}}" ;; esac
done
exit {status}
"""


class Commands(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def command(self, name: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        words = [sys.executable, str(BENCH / name), *map(str, arguments)]
        environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(words, capture_output=True, text=True, check=False, env=environment)

    def program(self, benchmarks: list[synthetic.Entry], status: int = 0) -> Path:
        synthetic.write(self.folder / "given.json", benchmarks)
        path = self.folder / "gpupar_bench"
        path.write_text(PROGRAM.format(status=status), encoding="utf-8")
        path.chmod(0o755)
        return path

    def test_a_run_leaves_results_and_tables(self) -> None:
        out = self.folder / "out"
        program = self.program(synthetic.quick_run())
        found = self.command("run", "quick", "--program", program, "--out", out, "--no-plots", "--filter", "sort/u32")
        self.assertEqual(found.returncode, 0, found.stderr)
        self.assertIn("--extent=quick", found.stdout)
        self.assertIn("--benchmark_filter=sort/u32", found.stdout)
        self.assertIn((out / "table.md").read_text(encoding="utf-8"), found.stdout)
        self.assertIn("Table 5.2", (out / "paper.md").read_text(encoding="utf-8"))
        self.assertEqual(json.loads((out / "results.json").read_text())["context"]["extent"], "quick")

    def test_a_wrong_case_fails_the_run_after_the_report(self) -> None:
        wrong = synthetic.error("sort/u64/uniform/8/gpupar", "wrong result: not sorted")
        program = self.program(synthetic.entries("sort/u32/uniform/8/gpupar", 1.0) + wrong, status=1)
        found = self.command("run", "host", "--program", program, "--out", self.folder / "out", "--no-plots")
        self.assertEqual(found.returncode, 1)
        self.assertIn("sort/u64/uniform/8/gpupar: wrong result: not sorted", found.stderr)
        self.assertIn("wrong result", (self.folder / "out" / "table.md").read_text(encoding="utf-8"))

    def test_a_skipped_case_is_listed_and_fails_nothing(self) -> None:
        skipped = synthetic.error("sort/u64/uniform/8/gpupar", "skipped: not enough memory")
        program = self.program(synthetic.entries("sort/u32/uniform/8/gpupar", 1.0) + skipped)
        found = self.command("run", "host", "--program", program, "--out", self.folder / "out", "--no-plots")
        self.assertEqual(found.returncode, 0, found.stderr)
        self.assertIn("sort/u64/uniform/8/gpupar: skipped: not enough memory", found.stderr)
        table = (self.folder / "out" / "table.md").read_text(encoding="utf-8")
        self.assertIn("## Skipped cases\n\n- sort/u64/uniform/8/gpupar: skipped: not enough memory", table)
        self.assertNotIn("Failed cases", table)

    def test_a_program_that_fails_otherwise_fails_the_run(self) -> None:
        program = self.program(synthetic.entries("sort/u32/uniform/8/gpupar", 1.0), status=3)
        found = self.command("run", "host", "--program", program, "--out", self.folder / "out", "--no-plots")
        self.assertEqual(found.returncode, 1)

    def test_a_program_without_results(self) -> None:
        program = self.program([])
        (self.folder / "given.json").unlink()
        found = self.command("run", "host", "--program", program, "--out", self.folder / "out")
        self.assertEqual(found.returncode, 1)
        self.assertIn("left no results", found.stderr)

    def test_a_pack_is_measured_as_its_program(self) -> None:
        packed, elsewhere = self.folder / "pack.tar.xz", self.folder / "elsewhere"
        program = self.program(synthetic.quick_run())
        program.write_text(program.read_text().replace('$(dirname "$0")', str(self.folder)), encoding="utf-8")
        made = self.command("run", "pack", packed, "--program", program)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertIn("holds gpupar_bench", made.stdout)
        program.unlink()
        found = self.command("run", "quick", "--program", packed, "--out", elsewhere, "--no-plots")
        self.assertEqual(found.returncode, 0, found.stderr)
        self.assertTrue((elsewhere / "table.md").is_file())

    def test_a_pack_has_the_libraries_that_a_machine_may_lack(self) -> None:
        linked = "\tlibc.so.6 => /lib/libc.so.6 (0x7f)\n\tlibbench.so.1 => {} (0x7f)\n\t/lib64/ld-linux.so.2 (0x7f)\n"
        library = self.folder / "libbench.so.1"
        library.write_text("library", encoding="utf-8")
        with mock.patch.object(pack.subprocess, "run", return_value=mock.Mock(stdout=linked.format(library))):
            names = pack.pack(self.program([]), self.folder / "pack.tar.xz")
        self.assertEqual(names, ["gpupar_bench", "libbench.so.1"])
        with mock.patch.object(pack.subprocess, "run", return_value=mock.Mock(stdout="\tlibx.so => not found\n")):
            with self.assertRaisesRegex(pack.PackError, "needs libx.so"):
                pack.libraries(self.folder / "gpupar_bench")

    def test_another_archive_is_no_pack(self) -> None:
        with tarfile.open(self.folder / "other.tar", "w") as archive:
            archive.add(synthetic.write(self.folder / "results.json", []), "results.json")
        found = self.command("run", "quick", "--program", self.folder / "other.tar", "--out", self.folder / "out")
        self.assertEqual(found.returncode, 1)
        self.assertIn("holds no gpupar_bench", found.stderr)
        self.assertNotIn("Traceback", found.stderr)

    def test_a_report_of_a_broken_file_says_so(self) -> None:
        (self.folder / "broken.json").write_text("{", encoding="utf-8")
        found = self.command("run", "report", self.folder / "broken.json", "--out", self.folder / "out")
        self.assertEqual(found.returncode, 1)
        self.assertIn("ends too early", found.stderr)
        self.assertNotIn("Traceback", found.stderr)

    def test_a_report_can_be_made_where_the_results_are(self) -> None:
        results = synthetic.write(self.folder / "results.json", synthetic.quick_run())
        found = self.command("run", "report", results, "--out", self.folder, "--no-plots")
        self.assertEqual(found.returncode, 0, found.stderr)
        self.assertTrue((self.folder / "table.md").is_file())

    def test_compare(self) -> None:
        name = "sort/u32/uniform/8/gpupar"
        before = synthetic.write(self.folder / "a.json", synthetic.entries(name, 1000.0))
        after = synthetic.write(self.folder / "b.json", synthetic.entries(name, 2000.0))
        self.assertEqual(self.command("compare", before, after).returncode, 0)
        self.assertEqual(self.command("compare", before, after, "--fail-slower").returncode, 1)
        self.assertEqual(self.command("compare", after, before, "--fail-slower").returncode, 0)
        self.assertEqual(self.command("compare", before, self.folder / "none.json").returncode, 2)

    def test_without_matplotlib_the_plots_are_left_out_aloud(self) -> None:
        run = load(synthetic.write(self.folder / "results.json", []))
        failed = mock.Mock(return_value=mock.Mock(returncode=1))
        with (
            mock.patch.object(document, "can_import_matplotlib", return_value=False),
            mock.patch.object(document.subprocess, "run", failed),
        ):
            said = document.add_plots(run, self.folder, self.folder / "packages")
        self.assertIn("no plots: matplotlib is missing", said)
        self.assertTrue(failed.called)

    def test_the_page_shows_a_run_between_its_markers(self) -> None:
        path = self.folder / "performance.md"
        path.write_text(f"before\n\n{performance_page.BEGIN}\nold\n{performance_page.END}\n\nafter\n", encoding="utf-8")
        run = load(synthetic.write(self.folder / "results.json", synthetic.quick_run()))
        for _ in range(2):  # the second time changes nothing
            performance_page.refresh(path, run, self.folder / "results")
            text = path.read_text(encoding="utf-8")
            begin = f"before\n\n{performance_page.BEGIN}\n\n`bench/run quick` on one NVIDIA H200"
            self.assertTrue(text.startswith(begin))
            self.assertTrue(text.endswith(f"\n\n{performance_page.END}\n\nafter\n"))
            self.assertNotIn("old", text)
            self.assertIn('srcset="results/plots/ratios-dark.svg"', text)
            self.assertIn("| missed ", text)

    def test_a_page_without_markers(self) -> None:
        path = self.folder / "performance.md"
        path.write_text("nothing", encoding="utf-8")
        with self.assertRaises(performance_page.PageError):
            performance_page.refresh(path, load(synthetic.write(self.folder / "results.json", [])), self.folder)
        self.assertEqual(path.read_text(encoding="utf-8"), "nothing")

    def test_the_plots_that_are_shown_anywhere(self) -> None:
        pages = {"README.md": 'src="a/plots/ratios.svg"', "docs/x/y.md": "![](../a/plots/merge-u32-dark.svg)"}
        for name, text in pages.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(text, encoding="utf-8")
        shown = performance_page.shown_plots(self.folder)
        self.assertEqual(shown, {"ratios", "merge-u32", *performance_page.PICTURES})

    def test_names_of_result_folders(self) -> None:
        path = self.folder / "results.json"
        self.assertEqual(document.slug(load(synthetic.write(path, []))), "2026-11-21-h200-quick")
        self.assertEqual(document.slug(load(synthetic.write(path, [], extent="host"))), "2026-11-21-host-host")


if __name__ == "__main__":
    unittest.main()
