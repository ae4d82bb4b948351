"""Random procedures full of dice.

Pools are kept, dropped, thrown again, exploded, given names in part and asked again later; how many dice are thrown may
hang on others, and one name may be given by rolls of different sorts in branches.
"""

from random import Random

from support.roll_programs import NAMED, READERS, RollWriter

_HEAD = f"\nvalues Hue: red, blue\n{READERS}"
_LOOKS = (
    "d.natural >= 2",
    "d.natural = 1",
    "d.natural in {1, 3}",
    "d.first = d.natural",
    "d.first > 1",
    "d.rerolls > 0",
    "d.rerolls < 2",
)


class _DiceProcedureWriter:
    """Writes one procedure."""

    def __init__(self, draw: Random) -> None:
        self._draw = draw
        self._pools: list[str] = []
        self._numbers: list[str] = []
        self._lines: list[str] = []

    def write_procedure(self) -> str:
        for _ in range(self._draw.randint(2, 6)):
            self._write_line()
        worth = f"{self._write_number()} + 10 * {self._write_number()} + 100 * {self._write_number()}"
        self._lines.append(f"finish with min(9999, {worth})")
        return _HEAD + "procedure main() gives 0..9999:\n" + "".join(f"  {each}\n" for each in self._lines)

    def _write_line(self) -> None:
        choice = self._draw.random()
        if not self._pools or choice < 0.4:
            self._write_roll(f"p{len(self._pools)}")
        elif choice < 0.6:
            name = f"n{len(self._numbers)}"
            self._lines.append(f"let {name}: 0..999 = min(999, {self._write_number()} + {self._write_number()})")
            self._numbers.append(name)
        elif choice < 0.72:
            name = f"s{len(self._lines)}"
            self._lines.append(
                f"let {name} = {{each d in {self._write_pool()} where d.natural <= {self._draw.randint(1, 2)}}}"
            )
            self._lines.append(f"reroll {name}")
        elif choice < 0.8:
            self._lines.append(f"reroll {self._write_pool()}")
        elif choice < 0.9:
            self._lines.append(f"if {self._write_number()} > {self._draw.randint(1, 5)}:")
            ends = self._draw.random() < 0.5
            self._lines.append(
                f"  finish with min(9999, {self._write_number()})" if ends else f"  reroll {self._write_pool()}"
            )
        elif self._numbers:
            self._lines.append(f"set {self._draw.choice(self._numbers)} to min(999, {self._write_number()} * 2)")
        else:
            name = f"q{len(self._lines)}"
            self._lines += [
                f"for each _ in {self._write_pool()}:",
                f"  roll d2 as {name}",
                f"  if {name}.natural = 1:",
                f"    reroll {self._write_pool()}",
            ]

    def _write_roll(self, name: str) -> None:
        """A name for a roll, now and then for one of two or three that branches make in different ways."""
        if self._pools and self._draw.random() < 0.3:
            few = [f"min(2, {self._write_number()})"]
            named = self._draw.choice(NAMED)
            rolls = RollWriter(self._draw, self._draw.randint(2, 3), named, most=2, numbers=few, endless=False)
            heads = [f"if {self._write_number()} > {self._draw.randint(1, 4)}:", "else:"]
            if self._draw.random() < 0.3:
                heads.insert(1, f"else if {self._write_number()} > {self._draw.randint(0, 3)}:")
            for head in heads:
                is_plain = named == "none" and self._draw.random() < 0.4
                self._lines += [
                    head,
                    f"  roll {rolls.write_plain_roll() if is_plain else rolls.write_pool()} as {name}",
                ]
        else:
            self._lines.append(f"roll {self._write_dice()} as {name}")
        self._pools.append(name)

    def _write_dice(self) -> str:
        draw = self._draw
        if draw.random() < 0.2:
            return RollWriter(draw, draw.randint(2, 3), draw.choice(NAMED), most=2, endless=False).write_pool()
        count, sides = draw.randint(1, 3), draw.randint(2, 4)
        if self._pools and draw.random() < 0.35:
            return f"min(3, max(0, {self._write_number()} - {draw.randint(0, 2)})) of d{sides}"
        if draw.random() < 0.15:
            kept = draw.choice(["", " keep highest 1"])
            return f"[red: {draw.randint(1, 2)} of d{sides}, blue: {draw.randint(1, 2)} of d3{kept}]"
        options = [
            "",
            "",
            f" keep highest {draw.randint(1, count)}",
            f" keep lowest {draw.randint(1, count)}",
            f" explode on {sides} at most 1",
            f" explode on {sides - 1}+ at most 1",
            f" with advantage {draw.choice([-1, 1])}",
        ]
        if count > 1:
            options += [f" drop lowest {draw.randint(0, count - 1)}", f" drop highest 1 explode on {sides} at most 1"]
        return f"{count} of d{sides}{draw.choice(options)}"

    def _write_pool(self) -> str:
        return self._draw.choice(self._pools)

    def _write_number(self) -> str:
        pool, look = self._write_pool(), self._draw.choice(_LOOKS)
        offered = [
            f"total({pool})",
            f"count({pool})",
            f"count(each d in {pool} where {look})",
            f"sum(each d in {pool} where {look}: d.natural)",
            f"sum([each d in {pool}: d.natural])",
            f"hits({pool}, 2)",
            f"best({pool})",
            f"if(some d in {pool} where {look}, 3, 1)",
            f"if(every d in {pool}: {look}, 2, 0)",
        ]
        return self._draw.choice(offered + 4 * self._numbers)


def write_procedure(seed: int) -> str:
    """The text of a random procedure."""
    return _DiceProcedureWriter(Random(seed)).write_procedure()
