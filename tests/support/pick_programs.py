"""Random procedures in which players pick dice.

Sets of dice are picked, joined, taken from each other, compared, handed to terms and procedures and thrown again, and
now and then looked at one by one.
"""

from random import Random

_HEAD = """
term worth(s: set of die of 1..3, least: 1..3) gives 0..999 means sum([each d in s where d.natural >= least: d.natural])
term alone(d: die of 1..3, s: set of die of 1..3) gives flag means no e in s where e != d and e.natural = d.natural
"""
_TAIL = """
inner procedure again(s: set of die of 1..3, p: player) gives 0..999:
  ask p to pick 0..1 of each d in s where d.rerolls = 0 as thrown "Again?"
  reroll thrown by p
  finish with worth(s - thrown, 2)
"""


class _PickProcedureWriter:
    """Writes one procedure."""

    def __init__(self, draw: Random) -> None:
        self._draw = draw
        self._sets: list[str] = []
        self._numbers = ["n"]
        self._lines: list[str] = []
        self._number = 0
        self._loops = 0

    def write_procedure(self) -> str:
        draw = self._draw
        many, sides = draw.choice([(2, 2), (2, 3), (3, 2), (3, 3)])
        self._lines += [
            f"let q: 0..4 = {draw.randint(0, 3)}",
            f"let n: 0..999 = {draw.randint(0, 2)}",
            f"roll {many} of d{sides} as a by p",
        ]
        self._lines += [
            "let s = {each d in a}"
            if draw.random() < 0.6
            else f"let s = {{each d in a where {self._write_condition()}}}"
        ]
        self._sets.append("s")
        for _ in range(draw.randint(2, 5)):
            self._write_line("")
        if draw.random() < 0.5:
            self._write_loop("")
        last = draw.choice(["", "", "d in", "d not in"])
        look = f"sum([each d in a where {last} {self._choose_held_name()}: d.natural])" if last else self._write_value()
        worth = f"{self._write_value()} + 10 * {look}"
        self._lines.append(f"finish with min(9999, {worth})")
        written = "".join(f"  {each}\n" for each in self._lines)
        return f"{_HEAD}procedure main(p: player) gives 0..9999:\n{written}{_TAIL}"

    def _make_name(self, sort: str) -> str:
        self._number += 1
        return f"{sort}{self._number}"

    def _write_line(self, margin: str) -> None:
        draw, choice = self._draw, self._draw.random()
        if choice < 0.35:
            self._write_pick(margin)
        elif choice < 0.45:
            name, rest = self._make_name("s"), self._write_set()
            self._lines.append(f"{margin}let {name} = {rest}")
            if not margin:
                self._sets.append(name)
        elif choice < 0.55:
            change = draw.choice(
                [
                    f"set {self._choose_held_name()} to {self._write_set()}",
                    f"take {self._choose_held_name()} from {self._choose_held_name()}",
                ]
            )
            self._lines.append(
                margin + draw.choice([change, f"add {self._choose_held_name()} to {self._choose_held_name()}"])
            )
        elif choice < 0.62:
            name = self._make_name("b")
            self._lines += [f"{margin}roll d2 as {name} by p", f"{margin}if {name}.natural = 1:"]
            self._lines.append(f"{margin}  reroll {draw.choice([*self._sets, 'a'])} by p")
        elif choice < 0.7:
            self._lines.append(f"{margin}reroll {draw.choice([*self._sets, 'a'])} by p")
        elif choice < 0.78:
            self._lines.append(f"{margin}set n to min(999, {self._write_value()} + {self._write_value()})")
        elif choice < 0.84:
            self._lines.append(f"{margin}if {self._write_value()} > {draw.randint(1, 4)}:")
            self._lines.append(f"{margin}  finish with min(9999, {self._write_value()})")
        elif choice < 0.88:
            name = self._make_name("m")
            self._lines.append(f"{margin}perform again({self._choose_held_name()}, p) as {name}")
            self._lines.append(f"{margin}set n to min(999, n + {name})")
        elif choice < 0.95:
            self._write_loop(margin)
        elif not margin and not self._loops:
            self._loops += 1
            self._lines += ["let r: 0..9 = 0", "repeat while r < 2 at most 2:", "  set r to r + 1"]
            before = [*self._sets]
            for _ in range(draw.randint(1, 3)):
                self._write_line("  ")
            self._sets = before

    def _write_loop(self, margin: str) -> None:
        """A loop through dice; in most the order makes no difference, in some it does."""
        draw = self._draw
        held, added = (
            draw.choice([self._choose_held_name(), "a"]),
            draw.choice(["d.natural", "1", "worth({d}, 2)", "count(s)"]),
        )
        where = f" where {self._write_condition()}" if draw.random() < 0.3 else ""
        lines = draw.choice(
            [
                [f"set n to min(999, 2 * n + {added})"],
                [f"set n to min(12, n + {added})"],
                [f"add up to {added} to q"],
                [f"take up to {added} from q"],
                [f"add up to {added} to q", "take up to 1 from q"],
                ["if d.natural = 1:", "  add up to 3 to q", "else:", "  take up to 2 from q"],
                [f"set n to min(20, n + {added})", "set n to min(9, n + 3)"],
                ["add up to q to n", f"set q to min(4, q + {added})"],
                [
                    f"if {self._write_condition()}:",
                    f"  add up to {added} to q",
                    "else:",
                    f"  set n to min(20, n + {added})",
                ],
                ["match d.natural:", "  on 1:", f"    add up to {added} to q", "  on 2..3:", "    add up to 1 to n"],
                ["if q > 2:", f"  set n to min(20, n + {added})", "else:", f"  add up to {added} to q"],
                ["set q to min(4, d.natural)"],
            ]
        )
        self._lines += [f"{margin}for each d in {held}{where}:", *(f"{margin}  {each}" for each in lines)]

    def _write_pick(self, margin: str) -> None:
        draw, of = self._draw, self._draw.choice(["a", self._choose_held_name(), self._write_set()])
        where = f" where {self._write_condition()}" if draw.random() < 0.4 else ""
        name, is_one = self._make_name("k"), draw.random() < 0.2
        if is_one:
            self._lines.append(f'{margin}ask p for {name} in {of} "Which?":')
        else:
            low, high = draw.choice([(0, 2), (1, 1), (1, 2), (1, 3), (0, 3)])
            self._lines.append(f'{margin}ask p to pick {low}..{high} of each d in {of}{where} as {name} "Which?":')
            self._sets.append(name)
            if draw.random() < 0.6:
                judged = draw.choice(
                    [
                        f"every d in {name}: {self._write_condition()}",
                        f"{self._write_value()} <= {draw.randint(1, 6)}",
                        f"some d in {name} where {self._write_condition()}",
                        f"every d in {name}: d.natural = 1 or count(each e in {name} where e.natural = d.natural) >= 2",
                    ]
                )
                row = draw.choice(["require", "require", "prefer"])
                self._lines.append(f'{margin}  {row} fits: {judged} "no"')
            self._sets.pop()
        held = f"{{{name}}}" if is_one else name
        after = draw.choice(
            [
                f"set n to min(999, n + count({held}))",
                f"set s to s - {held}",
                f"reroll {name} by p",
                f"set s to {held}",
                f"set n to min(999, n + worth({held}, 2))",
            ]
        )
        self._lines.append(f"{margin}  {after}")
        self._lines += [f"{margin}else:", f"{margin}  finish with min(9999, {self._write_value()})"]
        if not is_one:
            self._sets.append(name)

    def _choose_held_name(self) -> str:
        return self._draw.choice(self._sets or ["s"])

    def _write_set(self) -> str:
        one, other = self._choose_held_name(), self._choose_held_name()
        pool = self._draw.choice(["a", one])
        return self._draw.choice(
            [
                one,
                f"{{each d in {pool} where {self._write_condition()}}}",
                f"{one} - {other}",
                f"{one} + {other}",
                f"{{each d in a where not d in {one}}}",
            ]
        )

    def _write_condition(self) -> str:
        """A condition on the die `d`."""
        draw = self._draw
        offered = [f"d.natural >= {draw.randint(1, 3)}", f"d.natural = {draw.randint(1, 3)}", "d.rerolls = 0"]
        if self._sets:
            held = self._choose_held_name()
            offered += [
                *2 * [f"d in {held}", f"d not in {held}"],
                f"alone(d, {held})",
                f"some e in {held} where e.natural = d.natural and e != d",
                f"count(each e in {held} where e.natural = d.natural) >= 2",
            ]
        return draw.choice(offered)

    def _write_value(self) -> str:
        draw, held = self._draw, self._choose_held_name()
        return draw.choice(
            [
                "n",
                "q",
                "n",
                "total(a)",
                f"count({held})",
                f"worth({held}, {draw.randint(1, 3)})",
                f"count(each d in a where {self._write_condition()})",
                f"sum([each d in {self._write_set()}: d.natural])",
                f"count(each d in {held} where {self._write_condition()})",
                f"if({held} = {self._choose_held_name()}, 3, 1)",
                f"if(some d in {held} where {self._write_condition()}, 2, 0)",
            ]
        )


def write_procedure(seed: int) -> str:
    """The text of a random procedure."""
    return _PickProcedureWriter(Random(seed)).write_procedure()
