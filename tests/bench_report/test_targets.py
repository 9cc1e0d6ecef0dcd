"""Targets: met, missed and not measured, from made-up runs."""

import unittest

import synthetic
from report.results import Run
from report.targets import AIM, MET, MISSED, NOT_MEASURED, TARGETS, Outcome, evaluate
from report.verdicts import decisive, targets_section

LARGE = 2**28


def pair(case: str, ours: float, peer: str, peers: float, contender: str = "gpupar") -> list[synthetic.Entry]:
    """Times of our contender and a peer."""
    return synthetic.entries(f"{case}/{contender}", ours) + synthetic.entries(f"{case}/{peer}", peers)


def outcome(measured: Run, work: str) -> Outcome:
    [found] = [o for o in evaluate(measured) if o.target.work == work]
    return found


class Targets(unittest.TestCase):
    def sorts_of_32_bits(self, **ratios: float) -> Outcome:
        cases = [pair(f"sort/{type}/uniform/{LARGE}", 100.0, "cub_radix", 100.0 * r) for type, r in ratios.items()]
        return outcome(synthetic.run(*cases), "sort u32, i32, f32")

    def test_every_part_must_be_met(self) -> None:
        self.assertEqual(self.sorts_of_32_bits(u32=1.7, i32=1.65, f32=2.5).status, MET)
        self.assertEqual(self.sorts_of_32_bits(u32=2.2, i32=2.3, f32=2.5).status, AIM)
        self.assertEqual(self.sorts_of_32_bits(u32=1.7, i32=1.5, f32=2.5).status, MISSED)

    def test_what_was_not_measured_is_not_met(self) -> None:
        self.assertEqual(self.sorts_of_32_bits(u32=1.7).status, NOT_MEASURED)
        self.assertEqual(self.sorts_of_32_bits(u32=1.5).status, MISSED)
        self.assertEqual({o.status for o in evaluate(synthetic.run())}, {NOT_MEASURED})

    def test_other_sizes_and_distributions_do_not_count(self) -> None:
        measured = synthetic.run(
            pair(f"sort/u128/uniform/{LARGE}", 1.0, "cub_radix", 9.0),
            pair(f"sort/u128/zipf/{LARGE // 2}", 1.0, "cub_radix", 9.0),
        )
        self.assertEqual(outcome(measured, "sort u128 (2^27)").status, NOT_MEASURED)

    def test_constant_peers(self) -> None:
        u8 = synthetic.entries(f"sort/u8/uniform/{LARGE}/gpupar", LARGE / (3.5 * 255))
        u16 = synthetic.entries(f"sort/u16/uniform/{LARGE}/gpupar", LARGE / (7.5 * 123))
        found = outcome(synthetic.run(u8, u16), "sort u8, u16")
        self.assertEqual(found.status, MET)
        self.assertAlmostEqual(found.figures[0].value, 3.5, places=4)
        self.assertAlmostEqual(found.figures[1].value, 7.5, places=4)

    def test_stable_sorts_are_held_against_the_same_radix_sort(self) -> None:
        radix = synthetic.entries(f"sort/u32/uniform/{LARGE}/cub_radix", 120.0)
        ours = synthetic.entries(f"stable_sort/u32/uniform/{LARGE}/gpupar", 100.0)
        self.assertAlmostEqual(
            outcome(synthetic.run(radix, ours), "stable_sort, stable_sort_by_key").figures[0].value, 1.2
        )

    def test_the_worst_small_call_decides(self) -> None:
        calls = [pair(f"call_latency/u32/uniform/{n}", 10.0, "thrust", t) for n, t in ((1, 30.0), (4096, 20.0))]
        large = pair("call_latency/u32/uniform/10000", 10.0, "thrust", 1.0)
        figure, _ = outcome(synthetic.run(*calls, large), "one call, n <= 4096").figures
        self.assertAlmostEqual(figure.value, 2.0)
        self.assertEqual(figure.label, "2^12")

    def test_a_peer_that_is_slow_in_this_run_does_not_help(self) -> None:
        calls = [pair(f"call_latency/u32/uniform/{n}", t, "thrust", 90e3) for n, t in ((1, 5e3), (4096, 23e3))]
        found = outcome(synthetic.run(*calls), "one call, n <= 4096")
        self.assertAlmostEqual(found.figures[1].value, 1.0)
        self.assertEqual(found.status, MISSED)
        self.assertIn("23 us, 2^12", decisive(found))

    def test_upper_bounds(self) -> None:
        for time, status in ((105.0, AIM), (120.0, MET), (130.0, MISSED)):
            measured = synthetic.run(pair(f"host_sort_pinned/u32/uniform/{LARGE}", time, "transfers", 100.0))
            self.assertEqual(outcome(measured, "host vector, pinned").status, status)

    def test_never_slower_than_std(self) -> None:
        cases = [pair(f"host_sort_pageable/u32/uniform/{n}", t, "std", 100.0) for n, t in ((64, 106.0), (128, 50.0))]
        found = outcome(synthetic.run(*cases), "host vector of any n")
        self.assertAlmostEqual(found.figures[0].value, 1.06)
        self.assertEqual(found.status, MISSED)

    def test_the_slowest_distribution_of_every_sort_is_named(self) -> None:
        times = {"uniform": 100.0, "sorted": 80.0, "zipf": 125.0}
        entries = [
            synthetic.entries(f"{case}/{d}/{2**26}/gpupar", factor * time if d == "sorted" else time)
            for case, factor in (("sort/u32", 1), ("stable_sort/u32", 2), ("sort/u16", 3))
            for d, time in times.items()
        ]
        found = outcome(synthetic.run(*entries), "every distribution")
        self.assertEqual(found.status, MISSED)
        text = decisive(found)
        worst = "2.40 (sort of other types, u16 sorted, of 2); 1.60 (stable sort u32, sorted, of 2); "
        self.assertTrue(text.startswith(worst + "1.25 (sort u32, zipf, of 2); not measured: sort u64, sort f32"), text)

    def test_distributions_of_a_middle_n_are_judged_beside_those_of_the_largest(self) -> None:
        entries = [
            synthetic.entries(f"sort/u32/{d}/{n}/gpupar", time)
            for n, slow in ((2**18, 140.0), (2**26, 120.0))
            for d, time in (("uniform", 100.0), ("sorted", 90.0), ("zipf", slow))
        ]
        measured = synthetic.run(*entries)
        self.assertTrue(decisive(outcome(measured, "the same, n = 2^18")).startswith("1.40 (sort u32, zipf, of 2)"))
        self.assertEqual(outcome(measured, "the same, n = 2^18").status, MISSED)
        self.assertTrue(decisive(outcome(measured, "every distribution")).startswith("1.20 (sort u32, zipf, of 2)"))

    def test_scratch(self) -> None:
        name, size = f"sort/u32/uniform/{LARGE}/gpupar", 4.0 * LARGE
        entries = synthetic.entries(name, 1.0, bytes_per_key=4.0, scratch_bytes=1.05 * size)
        small = synthetic.entries("sort/u32/uniform/1024/gpupar", 1.0, bytes_per_key=4.0, scratch_bytes=1e6)
        self.assertEqual(outcome(synthetic.run(entries, small), "scratch").status, MET)
        worst = synthetic.entries(f"sort/u8/uniform/{2**24}/gpupar", 1.0, bytes_per_key=1.0, scratch_bytes=1.5 * 2**24)
        found = outcome(synthetic.run(entries, small, worst), "scratch")
        self.assertEqual((found.status, decisive(found)), (MISSED, "1.50 (sort u8, 2^24)"))

    def test_host_and_device_runs_speak_of_different_targets(self) -> None:
        cases = [
            pair(f"sort/u32/uniform/{2**26}", 100.0, "std_par", 250.0),
            pair(f"sort/u32/uniform/{2**16}", 100.0, "cub_radix", 900.0),
        ]
        on_host = synthetic.run(*cases, extent="host", gpu="")
        self.assertEqual(outcome(on_host, "no GPU: 2^26, all cores").status, MET)
        self.assertIsNone(outcome(on_host, "sort u32, smaller n").figures[0])
        self.assertEqual(outcome(synthetic.run(*cases), "no GPU: 2^26, all cores").status, NOT_MEASURED)

    def test_every_target_stands_in_the_text(self) -> None:
        text = targets_section(synthetic.run())
        for target in TARGETS:
            self.assertIn(f"| {target.work} ", text)
        self.assertIn(f"0 met, 0 missed, {len(TARGETS)} not measured", text)


if __name__ == "__main__":
    unittest.main()
