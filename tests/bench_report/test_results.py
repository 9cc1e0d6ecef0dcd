"""Reading of results: medians and spreads, errors, and files that are none."""

import json
import tempfile
import unittest
from itertools import chain
from pathlib import Path

import synthetic
from report.results import Case, ResultsError, Run, best_peer, load, tidy_copy


class Results(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "results.json"

    def load(self, *benchmarks: list[synthetic.Entry], **context: str) -> Run:
        return load(synthetic.write(self.path, list(chain(*benchmarks)), **context))

    def test_median_and_spread_come_from_the_repetitions_alone(self) -> None:
        run = self.load(synthetic.entries("sort/u32/uniform/1000/gpupar", 500.0, repetitions=5, spread=0.1))
        measured = run.measurements[Case("sort", "u32", "uniform", 1000, "gpupar")]
        self.assertEqual(len(measured.times), 5)
        self.assertAlmostEqual(measured.median, 500.0)
        self.assertAlmostEqual(measured.keys_per_second, 2e9)
        self.assertAlmostEqual(measured.spread, 0.2)

    def test_one_repetition_has_no_spread(self) -> None:
        run = self.load(synthetic.entries("sort/u32/uniform/8/std", 10.0, repetitions=1))
        self.assertIsNone(next(iter(run.measurements.values())).spread)

    def test_time_units(self) -> None:
        entries = synthetic.entries("sort/u32/uniform/8/std", 2.0, repetitions=1)
        run = self.load([entry | {"time_unit": "ms"} for entry in entries])
        self.assertEqual(next(iter(run.measurements.values())).median, 2e6)

    def test_a_wrong_case_is_an_error_and_no_measurement(self) -> None:
        name = "sort/u32/uniform/8/gpupar"
        run = self.load(synthetic.entries(name, 10.0), synthetic.error(name, "wrong result: not sorted"))
        self.assertEqual(run.errors, {Case("sort", "u32", "uniform", 8, "gpupar"): "wrong result: not sorted"})
        self.assertEqual(run.measurements, {})

    def test_a_skipped_case_is_neither(self) -> None:
        name = "sort/u64/uniform/8/gpupar"
        run = self.load(synthetic.error(name, "skipped: not enough memory"))
        self.assertEqual(run.skipped, {Case("sort", "u64", "uniform", 8, "gpupar"): "skipped: not enough memory"})
        self.assertEqual((run.errors, run.measurements), ({}, {}))

    def test_best_peer_is_neither_ours_nor_a_floor(self) -> None:
        times = {"gpupar": 3.0, "gpupar_radix": 2.0, "transfers": 1.0, "thrust": 5.0, "cub_radix": 4.0}
        run = self.load(*(synthetic.entries(f"sort/u32/uniform/8/{name}", time) for name, time in times.items()))
        [contenders] = run.groups().values()
        self.assertEqual(best_peer(contenders).case.contender, "cub_radix")

    def test_without_a_gpu_the_machine_is_the_cpu(self) -> None:
        self.assertEqual(self.load(gpu="none").machine, "Some CPU")
        self.assertEqual(self.load(gpu="").machine, "Some CPU")
        self.assertEqual(self.load().machine, "NVIDIA H200")

    def test_a_tidy_copy_holds_the_same_results(self) -> None:
        entries = synthetic.entries("sort/u32/uniform/8/std", 2.0)
        run = self.load(entries, host_name="somewhere", executable="/home/someone/build/bench/gpupar_bench")
        for _ in range(2):  # the second time onto itself
            tidy_copy(self.path, self.path)
        copy = load(self.path)
        self.assertEqual(copy.measurements, run.measurements)
        self.assertNotIn("host_name", copy.context)
        self.assertEqual(copy.context["executable"], "gpupar_bench")

    def assert_refused(self, text: str, message: str) -> None:
        self.path.write_text(text, encoding="utf-8")
        with self.assertRaisesRegex(ResultsError, message) as caught:
            load(self.path)
        self.assertIn(str(self.path), str(caught.exception))

    def test_files_that_are_no_results(self) -> None:
        self.assert_refused('{"context": {}, "benchmarks": [', "ends too early")
        self.assert_refused("[]", 'no list "benchmarks"')
        self.assert_refused('{"benchmarks": {}}', 'no list "benchmarks"')
        self.assert_refused(
            json.dumps({"benchmarks": [{"name": "BM_sort/8"}]}), "operation/type/distribution/n/contender"
        )
        self.assert_refused(json.dumps({"benchmarks": [{"name": "sort/u32/uniform/8/std"}]}), "real_time")
        self.assert_refused(json.dumps({"benchmarks": [[]]}), "cannot be read")

    def test_a_file_that_is_not_there(self) -> None:
        with self.assertRaisesRegex(ResultsError, "No such file"):
            load(self.path)


if __name__ == "__main__":
    unittest.main()
