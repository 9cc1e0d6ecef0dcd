"""The tables' figures: ratios to the best peer, slow distributions, scratch, the sources' speed-ups."""

import unittest

import synthetic
from report import paper_tables, table, text


def cells(markdown: str, first: str) -> list[str]:
    """The row that begins with these cells."""
    [row] = [line for line in markdown.splitlines() if " ".join(line.replace("|", " ").split()).startswith(first)]
    return [cell.strip() for cell in row.strip("|").split("|")]


class Tables(unittest.TestCase):
    def test_ratio_to_the_best_peer(self) -> None:
        entries = [
            synthetic.entries(f"sort/u32/uniform/{2**20}/{name}", time)
            for name, time in (("gpupar", 2.0**17), ("cub_radix", 2.0**18), ("thrust", 2.0**19))
        ]
        [found] = table.operation_sections(synthetic.run(*entries))
        self.assertEqual(cells(found, "u32 2^20"), ["u32", "2^20", "8.00", "2.0 %", "cub_radix", "4.00", "2.00"])

    def test_summary(self) -> None:
        times = (("gpupar", 2.0**17), ("cub_radix", 2.0**18))
        entries = [synthetic.entries(f"sort/u32/uniform/{2**20}/{name}", time) for name, time in times]
        self.assertEqual(cells(table.summary_section(synthetic.run(*entries)), "sort u32"), ["sort u32", "8.00 (2.00)"])

    def test_a_floor_has_a_row_of_its_own(self) -> None:
        entries = [
            synthetic.entries(f"host_sort_pinned/u32/uniform/1024/{name}", time)
            for name, time in (("gpupar", 1280.0), ("thrust", 2560.0), ("transfers", 1024.0))
        ]
        [found] = table.operation_sections(synthetic.run(*entries))
        self.assertIn("thrust", cells(found, "u32 2^10 0.800"))
        self.assertEqual(cells(found, "u32 2^10 transfers")[-3:], ["transfers", "1.00", "0.80"])

    def test_latency_is_in_microseconds(self) -> None:
        names = (("gpupar", 9000.0), ("thrust", 23000.0))
        entries = [synthetic.entries(f"call_latency/u32/uniform/1/{name}", time) for name, time in names]
        [found] = table.operation_sections(synthetic.run(*entries))
        self.assertEqual(cells(found, "u32 1"), ["u32", "1", "9.00", "2.0 %", "thrust", "23.0", "2.56"])

    def test_slow_distributions_are_named(self) -> None:
        times = {"uniform": 100.0, "sorted": 50.0, "zipf": 131.0, "reverse": 129.0}
        entries = [synthetic.entries(f"sort/u32/{d}/1024/gpupar", time) for d, time in times.items()]
        found = table.distributions_section(synthetic.run(*entries))
        self.assertIn("- sort u32, n = 2^10, zipf: 1.31", found)
        self.assertNotIn("- sort u32, n = 2^10, reverse", found)

    def test_scratch_is_in_sizes_of_the_input(self) -> None:
        name = "sort_by_key/u64+u64/uniform/1024"
        ours = synthetic.entries(f"{name}/gpupar", 1.0, bytes_per_key=16, scratch_bytes=1.02 * 16384)
        peer = synthetic.entries(f"{name}/cub_radix", 1.0, bytes_per_key=16, scratch_bytes=1.5 * 16384)
        row = cells(table.scratch_section(synthetic.run(ours, peer)), "sort by key u64+u64")
        self.assertEqual(row[-2:], ["1.02", "cub_radix 1.50"])

    def test_speedups_in_the_form_of_table_5_2(self) -> None:
        entries = [
            synthetic.entries(f"sort/i32/{d}/1024/{name}", time)
            for d, factor in (("uniform", 1.0), ("staggered_128", 2.0))
            for name, time in (("std", 33000.0 * factor), ("gpupar_bitonic", 11000.0), ("gpupar", 10000.0))
        ]
        document = paper_tables.paper_document(synthetic.run(*entries))
        random, staggered = document.split("## ")[1:]
        self.assertEqual(cells(random, "10 "), ["10", "0.033", "3.00", "3.30"])
        self.assertEqual(cells(staggered, "10 "), ["10", "0.066", "6.00", "6.60"])

    def test_distributions_as_in_figure_19(self) -> None:
        names = (
            "uniform",
            "gaussian",
            "staggered_128",
            "staggered_240",
            "g_group_240_4",
            "sorted_chunks_100",
            "sorted",
        )
        entries = [synthetic.entries(f"sort/u32/{d}/1024/gpupar_sample_sort", 512.0) for d in names]
        entries += [synthetic.entries(f"sort/u32/{d}/1024/gpupar", 256.0) for d in names]
        document = paper_tables.paper_document(synthetic.run(*entries))
        self.assertEqual(cells(document, "staggered"), ["staggered 240", "4.00", "2.00"])
        self.assertIn("g group 240 4", document)
        self.assertNotIn("chunks", document)

    def test_of_two_parameters_that_with_more_contenders_is_shown(self) -> None:
        names = ("gpupar", "gpupar_radix")
        entries = [synthetic.entries(f"sort/u32/{d}/1024/{c}", 1.0) for d in ("sorted", "staggered_128") for c in names]
        alone = [synthetic.entries(f"sort/u32/{d}/1024/gpupar", 1.0) for d in ("uniform", "staggered_240")]
        document = paper_tables.paper_document(synthetic.run(*entries, *alone))
        self.assertIn("staggered 128", document)
        self.assertNotIn("staggered 240", document)

    def test_a_run_without_them_has_no_document_of_the_sources(self) -> None:
        self.assertEqual(paper_tables.paper_document(synthetic.run()), "")


class Text(unittest.TestCase):
    def test_three_significant_digits(self) -> None:
        values = {0.01234: "0.0123", 1.0: "1.00", 9.996: "10.0", 52.34: "52.3", 999.7: "1000", 1234.0: "1230", 0: "0"}
        for value, wanted in values.items():
            self.assertEqual(text.significant(value), wanted)

    def test_sizes(self) -> None:
        sizes = {1: "1", 63: "63", 1024: "2^10", 2**32 + 1: "2^32 + 1", 2**20 - 1: "2^20 - 1", 10**6: "10^6", 70: "70"}
        for n, wanted in sizes.items():
            self.assertEqual(text.size(n), wanted)


if __name__ == "__main__":
    unittest.main()
