"""Verdicts on real data and over all sizes, from made-up runs."""

import re
import unittest
from pathlib import Path

import synthetic
from report.kinds import (
    FewerTakeLonger,
    LeastOfKinds,
    LeastOverSizes,
    MeanOfKinds,
    SlowestKind,
    SteepestStep,
    spreads,
)
from report.measures import KINDS, SKEWS, by_distribution
from report.results import Run
from report.table import kinds_section, spread_section

N = 2**26


def case(name: str, **times: float) -> list[synthetic.Entry]:
    """Times by contender."""
    return [entry for who, time in times.items() for entry in synthetic.entries(f"{name}/{who}", time)]


def some_kinds() -> Run:
    return synthetic.run(
        case(f"sort/u32/uniform/{N}", gpupar=100.0, cub_radix=160.0),
        case(f"sort/u32/addresses/{N}", gpupar=200.0, cub_radix=180.0, cub_radix_told=50.0),
        case(f"sort/u32/counts/{N}", gpupar=50.0, cub_radix=405.0, cub_radix_new=180.0),
        case(f"sort/u32/zipf/{N}", gpupar=900.0, cub_radix=10.0),
        case(f"sort/u32/zero/{N}", gpupar=90.0),
    )


class Kinds(unittest.TestCase):
    def test_names_are_those_of_the_program(self) -> None:
        header = Path(__file__).resolve().parents[2] / "bench" / "kinds" / "kind.hpp"
        names = re.findall(r'\{kind::\w+, "(\w+)"', header.read_text(encoding="utf-8"))
        self.assertEqual([*KINDS, *SKEWS], names)

    def test_the_best_peer_is_told_no_more_than_we_are(self) -> None:
        figure = LeastOfKinds().figure(some_kinds())
        self.assertAlmostEqual(figure.value, 0.9)
        self.assertEqual(figure.label, "sort u32 addresses, 2^26, of 2")

    def test_the_newer_cub_is_a_peer(self) -> None:
        self.assertAlmostEqual(MeanOfKinds().figure(some_kinds()).value, (0.9 * 3.6) ** 0.5)

    def test_slower_than_uniform_keys(self) -> None:
        self.assertAlmostEqual(SlowestKind().figure(some_kinds()).value, 2.0)

    def test_values_of_another_width_count_even_with_uniform_keys(self) -> None:
        measured = synthetic.run(
            case(f"sort_by_key/u32+u64/uniform/{N}", gpupar=100.0, cub_radix=80.0),
            case(f"sort_by_key/f32+u32/uniform/{N}", gpupar=100.0, cub_radix=10.0),
        )
        self.assertAlmostEqual(LeastOfKinds().figure(measured).value, 0.8)

    def test_kinds_are_no_distributions_of_the_catalogue(self) -> None:
        [found] = by_distribution(some_kinds()).values()
        self.assertEqual([s.case.distribution for s in found], ["zipf", "zero"])

    def test_nothing_measured(self) -> None:
        for measure in (LeastOfKinds(), MeanOfKinds(), SlowestKind()):
            self.assertIsNone(measure.figure(synthetic.run()))
        self.assertEqual(kinds_section(synthetic.run()), "")

    def test_the_table_begins_with_the_worst(self) -> None:
        rows = [line for line in kinds_section(some_kinds()).splitlines() if line.startswith("| sort")]
        self.assertEqual(len(rows), 2)
        self.assertIn("addresses", rows[0])


class AllKinds(unittest.TestCase):
    def measured(self, n: int) -> list[list[synthetic.Entry]]:
        """All kinds three times as fast as the peer, but for one that is slower than it."""
        return [
            case(f"sort/u64/{name}/{n}", gpupar=20.0 if name == "zipf_0_6" else 5.0, cub_radix=15.0)
            for name in ("uniform", *KINDS, *SKEWS)
        ]

    def test_mean_and_least_of_real_and_skewed_ones(self) -> None:
        [found] = spreads(synthetic.run(*self.measured(N))).values()
        count = len(KINDS) + len(SKEWS)
        self.assertEqual((found.kinds, found.worst), (count, "zipf_0_6"))
        self.assertAlmostEqual(found.least, 0.75)
        self.assertAlmostEqual(found.mean, (3.0 ** (count - 1) * 0.75) ** (1 / count))

    def test_a_row_per_type_and_a_column_per_size(self) -> None:
        text = spread_section(synthetic.run(*self.measured(N), *self.measured(2**20)))
        [row] = [line for line in text.splitlines() if line.startswith("| sort")]
        self.assertEqual(row.count("(0.75 zipf 0 6)"), 2)

    def test_a_few_kinds_are_not_all(self) -> None:
        self.assertEqual(spreads(some_kinds()), {})
        self.assertEqual(spread_section(some_kinds()), "")


class Sizes(unittest.TestCase):
    def measured(self, **slower: float) -> Run:
        """33 sizes, each taking 1.19 times as long as the one before but for those named."""
        cases = []
        for quarter in range(64, 97):
            factor = slower.get(f"at{quarter}", 1.0)
            time = 1.19 ** (quarter - 64) * 1e4
            cases.append(
                case(f"sort/u32/uniform/{round(2 ** (quarter / 4))}", gpupar=factor * time, cub_radix=2 * time)
            )
        return synthetic.run(*cases)

    def test_even_sizes(self) -> None:
        self.assertAlmostEqual(LeastOverSizes("sort", "u32").figure(self.measured()).value, 2.0, places=4)
        self.assertAlmostEqual(SteepestStep("sort", "u32").figure(self.measured()).value, 1.19, places=4)
        self.assertLess(FewerTakeLonger("sort", "u32").figure(self.measured()).value, 1.0)

    def test_one_size_that_takes_long(self) -> None:
        slow = self.measured(at80=1.5)
        self.assertEqual(LeastOverSizes("sort", "u32").figure(slow).label, "2^20")
        self.assertAlmostEqual(SteepestStep("sort", "u32").figure(slow).value, 1.5 * 1.19, places=3)
        self.assertAlmostEqual(FewerTakeLonger("sort", "u32").figure(slow).value, 1.5 / 1.19, places=3)

    def test_a_few_sizes_are_no_series(self) -> None:
        few = synthetic.run(case(f"sort/u32/uniform/{2**20}", gpupar=1.0, cub_radix=2.0))
        self.assertIsNone(LeastOverSizes("sort", "u32").figure(few))


if __name__ == "__main__":
    unittest.main()
