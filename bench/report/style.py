"""How plots look: two themes, and for every contender a colour, a marker, a dash pattern and a hatch of its own.

The colours are those of Okabe and Ito, safe for the colour-blind; markers, dashes and hatches tell contenders apart in
black and white. Every plot is drawn twice, on GitHub's light and dark background: one drawing that must do for both has
poor contrast on each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Theme:
    suffix: str
    background: str
    text: str
    grid: str
    colors: dict[str, str]

    def parameters(self) -> dict[Any, Any]:
        """For matplotlib.rc_context. Text stays text in SVG; the salt makes the same plot the same file."""
        return {
            "axes.edgecolor": self.grid,
            "axes.facecolor": self.background,
            "axes.grid": True,
            "axes.labelcolor": self.text,
            "axes.spines.right": False,
            "axes.spines.top": False,
            "axes.titlecolor": self.text,
            "axes.titlelocation": "left",
            "axes.titlesize": 12,
            "figure.facecolor": self.background,
            "font.family": ["DejaVu Sans", "sans-serif"],
            "font.size": 10,
            "grid.color": self.grid,
            "grid.linewidth": 0.6,
            "hatch.linewidth": 0.8,
            "savefig.facecolor": self.background,
            "svg.fonttype": "none",
            "svg.hashsalt": "gpupar",
            "text.color": self.text,
            "xtick.color": self.text,
            "ytick.color": self.text,
        }


LIGHT = Theme(
    "",
    "#ffffff",
    "#1f2328",
    "#d0d7de",
    {
        "blue": "#0072b2",
        "vermilion": "#d55e00",
        "green": "#008563",
        "purple": "#b0568a",
        "orange": "#b87800",
        "sky": "#2f8fc7",
        "gray": "#6e7781",
        "brown": "#82400e",
        "ink": "#1f2328",
    },
)
DARK = Theme(
    "-dark",
    "#0d1117",
    "#e6edf3",
    "#30363d",
    {
        "blue": "#4cb2ff",
        "vermilion": "#ff8142",
        "green": "#2fc79c",
        "purple": "#e59cc8",
        "orange": "#efb43a",
        "sky": "#8fd0f7",
        "gray": "#9aa4af",
        "brown": "#c8916a",
        "ink": "#e6edf3",
    },
)
THEMES = (LIGHT, DARK)

SOLID, DASHED, DOTTED, DASH_DOT = "-", (0, (5, 2)), (0, (1, 1.6)), (0, (5, 1.6, 1, 1.6))


@dataclass(frozen=True)
class Look:
    color: str
    marker: str
    dash: Any
    hatch: str
    width: float = 1.5


LOOKS = {
    "gpupar": Look("blue", "o", SOLID, "", 2.6),
    "gpupar_quicksort": Look("sky", "^", DOTTED, ".."),
    "gpupar_sample_sort": Look("green", "v", DOTTED, "oo"),
    "gpupar_merge_sort": Look("purple", "<", DOTTED, "++"),
    "gpupar_radix": Look("orange", ">", DOTTED, "xx"),
    "gpupar_bitonic": Look("gray", "d", DOTTED, "**"),
    "cub_radix": Look("vermilion", "s", DASHED, "//"),
    "cub_radix_told": Look("orange", "2", DOTTED, "xx"),
    "cub_radix_new": Look("purple", "H", DASHED, "++"),
    "cub_merge_sort": Look("brown", "D", DASHED, "\\\\"),
    "cub_merge": Look("vermilion", "P", DASHED, "//"),
    "cub_topk": Look("vermilion", "3", DASHED, "//"),
    "cub_segmented_sort": Look("vermilion", "8", DASHED, "//"),
    "cub_segmented_radix": Look("brown", "x", DASHED, "\\\\"),
    "cub_block_merge": Look("brown", "+", DASHED, "\\\\"),
    "cub_block_radix": Look("vermilion", "|", DASHED, "//"),
    "thrust": Look("ink", "X", DASH_DOT, "--"),
    "std": Look("gray", "p", DASH_DOT, "||"),
    "std_par": Look("orange", "h", DASH_DOT, "\\\\"),
    "gnu_parallel": Look("green", "*", DASH_DOT, "++"),
    "ips4o": Look("purple", "4", DASH_DOT, ".."),
    "transfers": Look("gray", "1", DASHED, "||"),
}
OTHER = Look("gray", ".", DASHED, "..")


def look(contender: str) -> Look:
    return LOOKS.get(contender, OTHER)
