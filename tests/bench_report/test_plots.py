"""Plots: that they are drawn from a whole run, light and dark, and that labels do not collide."""

import importlib.util
import tempfile
import unittest
from itertools import pairwise
from pathlib import Path

import synthetic
from report.results import Run
from report.style import LOOKS

HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None


def small_run() -> Run:
    rates = {"gpupar": 84.0, "cub_radix": 49.0, "thrust": 48.9}
    benchmarks = synthetic.series("sort/u32", [2**16, 2**20, 2**24, 2**26], rates, 4) + synthetic.distributions()
    return synthetic.run(benchmarks)


@unittest.skipUnless(HAS_MATPLOTLIB, "matplotlib is not installed")
class Plots(unittest.TestCase):
    def test_every_plot_is_written_in_both_formats_and_themes(self) -> None:
        from report import plots

        with tempfile.TemporaryDirectory() as folder:
            written = plots.write_plots(small_run(), Path(folder))
            self.assertEqual([path.stem for path in written], ["ratios", "sort-u32", f"sort-u32-distributions-{2**26}"])
            for path in written:
                for suffix in ("", "-dark"):
                    png = path.with_name(f"{path.stem}{suffix}.png").read_bytes()
                    self.assertTrue(png.startswith(b"\x89PNG"))
                    self.assertIn("</svg>", path.with_name(f"{path.stem}{suffix}.svg").read_text(encoding="utf-8"))
            series = (Path(folder) / "sort-u32.svg").read_text(encoding="utf-8")
            self.assertIn("copy limit 534", series)
            self.assertIn("cub_radix", series)

    def test_of_some_plots_there_is_no_png(self) -> None:
        from report import plots

        with tempfile.TemporaryDirectory() as folder:
            plots.write_plots(small_run(), Path(folder), only={"ratios"})
            self.assertEqual(sorted(p.name for p in Path(folder).iterdir()), ["ratios-dark.svg", "ratios.svg"])

    def test_segments_are_drawn_over_their_lengths(self) -> None:
        from report import plots

        lengths = (8, 100, 4096)
        benchmarks = [
            each
            for length in lengths
            for n in (2**18, 2**26)
            for each in synthetic.series(f"segmented_sort_{length}/u32", [n], {"gpupar": 84.0}, 4)
        ]
        run = synthetic.run(benchmarks)
        ((key, series),) = plots.series_by_length(run).items()
        self.assertEqual(key.operation, "segmented_sort")
        self.assertEqual([plots.LENGTHS.of(p.case) for p in series["gpupar"]], list(lengths))
        self.assertEqual({p.case.n for p in series["gpupar"]}, {2**26})
        self.assertIn("segmented_sort-u32-lengths", [name for name, _ in plots.drawings(run)])

    def test_the_pictures_of_the_page_are_plots_of_a_run(self) -> None:
        from report import performance_page, plots

        drawn = {name for name, _ in plots.drawings(synthetic.run(synthetic.quick_run()))}
        self.assertEqual(set(performance_page.PICTURES) - drawn, set())

    def test_the_same_run_gives_the_same_files(self) -> None:
        from report import plots

        run = synthetic.run(synthetic.series("merge/u32", [2**20, 2**22, 2**24], {"gpupar": 9.0}, 4))
        with tempfile.TemporaryDirectory() as folder:
            first, second = Path(folder) / "a", Path(folder) / "b"
            plots.write_plots(run, first)
            plots.write_plots(run, second)
            self.assertEqual((first / "merge-u32.svg").read_bytes(), (second / "merge-u32.svg").read_bytes())

    def test_labels_keep_their_order_and_distance(self) -> None:
        from report.plots import spread_out

        heights = [0.1, 0.5, 0.5, 0.51, 0.9]
        moved = spread_out(heights, 0.05)
        self.assertTrue(all(b - a > 0.05 - 1e-9 for a, b in pairwise(moved)))
        self.assertEqual((moved[0], moved[-1]), (0.1, 0.9))
        self.assertAlmostEqual(sum(moved), sum(heights))

    def test_sizes_that_are_no_powers_of_two_are_labelled_as_digits(self) -> None:
        from report.plots import exponent_label

        self.assertEqual(exponent_label(1000), "$10^{3}$")
        self.assertEqual(exponent_label(777), "777")


class Looks(unittest.TestCase):
    def test_contenders_differ_in_black_and_white(self) -> None:
        marks = [look.marker for look in LOOKS.values()]
        self.assertEqual(len(marks), len(set(marks)))


if __name__ == "__main__":
    unittest.main()
