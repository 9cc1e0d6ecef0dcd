"""bench/compare's noise: what counts as faster or slower."""

import unittest
from typing import Any

import synthetic
from report.comparison import Comparison, compare, comparison_text

NAME = "sort/u32/uniform/1024/gpupar"


def changed(before: float, after: float, **how: Any) -> Comparison:
    return compare(
        synthetic.run(synthetic.entries(NAME, before, **how)), synthetic.run(synthetic.entries(NAME, after, **how))
    )


class Comparisons(unittest.TestCase):
    def test_steady_cases_show_small_changes(self) -> None:
        self.assertEqual(len(changed(100.0, 95.0, spread=0.001).faster), 1)
        self.assertEqual(len(changed(100.0, 105.0, spread=0.001).slower), 1)

    def test_below_the_floor_nothing_counts(self) -> None:
        self.assertEqual(changed(100.0, 101.5, spread=0.0).unchanged, 1)

    def test_spread_hides_what_it_could_explain(self) -> None:
        # Five repetitions 3 % apart have a quartile range of 6 %: a deviation of 4.4 %, 18.9 % for three times both.
        self.assertEqual(changed(100.0, 115.0, spread=0.03).unchanged, 1)
        self.assertEqual(len(changed(100.0, 125.0, spread=0.03).slower), 1)

    def test_one_disturbed_repetition_hides_nothing(self) -> None:
        before = synthetic.entries(NAME, 100.0, spread=0.001)
        before[4]["real_time"] = 300.0
        found = compare(synthetic.run(before), synthetic.run(synthetic.entries(NAME, 110.0, spread=0.001)))
        self.assertEqual(len(found.slower), 1)

    def test_single_repetitions_need_a_large_change(self) -> None:
        self.assertEqual(changed(100.0, 115.0, repetitions=1).unchanged, 1)
        self.assertEqual(len(changed(100.0, 130.0, repetitions=1).slower), 1)

    def test_faster_and_slower_are_symmetric(self) -> None:
        there, back = changed(100.0, 125.0, spread=0.03), changed(125.0, 100.0, spread=0.03)
        self.assertEqual((len(there.slower), len(back.faster)), (1, 1))

    def test_cases_of_one_run_alone(self) -> None:
        other = NAME.replace("gpupar", "thrust")
        found = compare(synthetic.run(synthetic.entries(NAME, 1.0)), synthetic.run(synthetic.entries(other, 1.0)))
        self.assertEqual([str(c) for c in found.vanished], [NAME])
        self.assertEqual([str(c) for c in found.appeared], [other])

    def test_text(self) -> None:
        before, after = (
            synthetic.run(synthetic.entries(NAME, 1000.0)),
            synthetic.run(synthetic.entries(NAME, 500.0), gpu="Another GPU"),
        )
        text = comparison_text(before, after)
        self.assertIn("The machines differ: NVIDIA H200 before, Another GPU after.", text)
        self.assertIn("Faster: 1", text)
        self.assertIn("2.00", text)
        self.assertIn("Slower: 0", text)


if __name__ == "__main__":
    unittest.main()
