"""Prints the ratios to be reached, with floor and goal, in one process: `python tests/benchmarks/ratios.py`.

What each row does on both sides is told in the README beside this file. A row whose engine is not installed says so.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[1])]

from benchmarks import course, crowd, mel

Figures = dict[str, float]


@dataclass(frozen=True)
class Row:
    """A ratio: of what, how it is measured, what is the least or the most of it, and what is wished for."""

    name: str
    measured: Callable[[], float]
    floor: float
    goal: float
    less_is_better: bool = False

    def told(self) -> str:
        """The row as it is printed."""
        try:
            found = self.measured()
        except (KeyError, ModuleNotFoundError) as missing:
            return f"{self.name:<52} {getattr(missing, 'name', missing.args[0])} is not installed"
        held = found <= self.floor if self.less_is_better else found >= self.floor
        return f"{self.name:<52} {found:8.3f}   floor {self.floor:g}, goal {self.goal:g}{'' if held else '   short'}"


@cache
def _mel() -> Figures:
    return mel.figures()


@cache
def _course() -> Figures:
    return course.figures()


def _crowd() -> float:
    few, many = crowd.figures()
    return many / few


def rows() -> Iterator[Row]:
    """All rows."""
    yield Row("MEL with dice, no trace / by hand", lambda: _mel()["by hand"] / _mel()["untraced"], 0.45, 0.7)
    yield Row("the same, decisive trace", lambda: _mel()["by hand"] / _mel()["decisive"], 0.3, 0.45)
    yield Row("the same, full trace", lambda: _mel()["by hand"] / _mel()["traced"], 0.2, 0.35)
    yield Row("fork in the middle / one whole play", lambda: _mel()["fork"] / _mel()["untraced"], 0.12, 0.06, True)
    yield Row("course of a melee, no trace / Python", lambda: _course()["Python"] / _course()["no trace"], 0.6, 0.9)
    for peer, floor, goal in (("transitions", 3, 6), ("zen, traced", 9, 18), ("SpiffWorkflow", 50, 50)):
        yield Row(
            f"the same, full trace: times faster than {peer}",
            lambda peer=peer: _course()[peer] / _course()["full trace"],  # type: ignore[misc]
            floor,
            goal,
        )
    yield Row(f"an answer with {crowd.MANY:,} things in play / with 2", _crowd, 1.5, 1.1, True)


if __name__ == "__main__":
    for row in rows():
        print(row.told())
