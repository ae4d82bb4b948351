"""Random procedures with few outcomes and all sorts of chance: dice, draws from bags and decks, shuffles, questions, loops.

Pools explode, are kept, thrown again and counted by a tally; cards are drawn, put back and mixed; players answer whether,
which and how many; lines are repeated, and steps are gone back to.
"""

from random import Random

CHANCE_HEAD = """\
values Hue: red, blue
game:
  pile: deck of 1..4 = [{pile}]
  lots: bag of 1..3 = {{{lots}}}
  score: 0..99 = {score}
tally hits(p: pool, least: 1..6) from count(each d in p where d.natural >= least):
  ones: -1 when some d in p where d.natural = 1
  high: +2 when total(p) >= 5
  least: at least 0
decide grade(n: 0..99) gives 0..9:
  none: 0 when n < 2
  some: 3 when n < 5
  many: 7 otherwise
"""
_OPTIONS = ("", "", "", " keep highest 1", " drop lowest 1", " explode on 2+ at most 1", " explode on 1 at most 2")


class _ChanceWriter:
    """Writes one procedure."""

    def __init__(self, draw: Random) -> None:
        self._draw = draw
        self._pools: list[str] = []
        self._numbers = ["score"]
        self._names = 0

    def write_procedure(self) -> str:
        draw = self._draw
        pile, lots = (sorted(draw.choices(range(1, top), k=draw.randint(0, 4))) for top in (5, 4))
        draw.shuffle(pile)
        lines = [f"  {each}" for _ in range(draw.randint(1, 3)) for each in self._write_line()]
        if draw.random() < 0.4:
            lines += ['  step 1 "First":', *(f"    {each}" for each in self._write_line())]
            lines += ['  step 2 "Second":', *(f"    {each}" for each in self._write_line())]
            lines += [f"    if {self._write_condition()}:", "      proceed to 1 at most 1"]
            lines += [f"    finish with {self._write_result()}"]
        else:
            lines.append(f"  finish with {self._write_result()}")
        head = CHANCE_HEAD.format(
            pile=", ".join(map(str, pile)), lots=", ".join(map(str, lots)), score=draw.randint(0, 2)
        )
        return f"{head}procedure main(p: player) gives 0..9999:\n" + "\n".join(lines) + "\n"

    def _write_result(self) -> str:
        return f"min(9999, {self._write_number()} + 10 * {self._write_number()} + 100 * count(lots))"

    def _write_line(self, *, deep: bool = False) -> list[str]:
        sorts = [self._write_roll, self._write_roll, self._write_draw, self._write_card, self._write_sum]
        if self._pools:
            sorts += [self._write_reroll, self._write_reroll]
        if not deep:
            sorts += [self._write_branch, self._write_question, self._write_question, self._write_loop]
        return self._draw.choice(sorts)()

    def _write_inside(self) -> list[str]:
        """Lines of a block, whose names end with it."""
        pools, numbers = [*self._pools], [*self._numbers]
        lines = [f"  {each}" for _ in range(self._draw.randint(1, 2)) for each in self._write_line(deep=True)]
        self._pools, self._numbers = pools, numbers
        return lines

    def _make_name(self, sort: str) -> str:
        self._names += 1
        return f"{sort}{self._names}"

    def _write_roll(self) -> list[str]:
        draw, name = self._draw, self._make_name("p")
        sides = draw.randint(2, 3)
        count = draw.choice(("1", "2", "2", "3", f"min(2, {self._write_number()})"))
        rolled = f"{count} of d{sides}{draw.choice(_OPTIONS)}"
        if draw.random() < 0.2:
            rolled = f"[red: 1 of d{sides}, blue: 1 of d2{draw.choice(_OPTIONS[3:5])}]"
        self._pools.append(name)
        return [f"roll {rolled} as {name}"]

    def _write_reroll(self) -> list[str]:
        pool = self._draw.choice(self._pools)
        if self._draw.random() < 0.5:
            return [f"reroll {pool}"]
        name = self._make_name("s")
        return [f"let {name} = {{each d in {pool} where d.natural = 1}}", f"reroll {name}"]

    def _write_draw(self) -> list[str]:
        name = self._make_name("l")
        self._numbers.append(name)
        after = self._draw.choice(([], [f"if {name} > 0:", f"  add {name} to lots"], [f"add up to {name} to score"]))
        return [*_draw_from("lots", name), *after]

    def _write_card(self) -> list[str]:
        name = self._make_name("c")
        self._numbers.append(name)
        mixed = self._draw.choice((["shuffle pile"], []))
        back = self._draw.choice(([], [f"if {name} > 0:", f"  add {name} to pile"]))
        return [*mixed, *_draw_from("pile", name), *back]

    def _write_sum(self) -> list[str]:
        said, to = self._draw.choice((("add", "to"), ("take", "from")))
        return [f"{said} up to {self._write_number()} {to} score"]

    def _write_branch(self) -> list[str]:
        lines = [f"if {self._write_condition()}:", *self._write_inside()]
        return [*lines, "else:", *self._write_inside()] if self._draw.random() < 0.5 else lines

    def _write_question(self) -> list[str]:
        draw, name = self._draw, self._make_name("q")
        sort = draw.choice(("whether", "member", "number", "option"))
        if sort == "whether":
            return [f'ask p whether {name} when {self._write_condition()} "Again?":', *self._write_inside()]
        if sort == "member":
            return [f'ask p for {name} in lots where {name} > 1 "Which?":', f"  add up to {name} to score"]
        if sort == "number":
            return [f'ask p for {name} in 0..min(2, {self._write_number()}) "How many?":', *self._write_inside()]
        lines = [
            f'ask p to choose {name} "How?":',
            '  option one "One":',
            *(f"  {each}" for each in self._write_inside()),
        ]
        return [*lines, f'  option two when {self._write_condition()} "Two":', "    add up to 1 to score"]

    def _write_loop(self) -> list[str]:
        if self._pools and self._draw.random() < 0.5:
            return [f"for each d in {self._draw.choice(self._pools)}:", "  add up to d.natural to score"]
        name = self._make_name("r")
        head = [f"let {name}: 0..9 = 0", f"repeat while {name} < 2 and ({self._write_condition()}) at most 2:"]
        return [*head, f"  set {name} to {name} + 1", *self._write_inside()]

    def _write_condition(self) -> str:
        draw = self._draw
        offered = [f"{self._write_number()} >= {draw.randint(1, 3)}", "count(lots) > 1", "count(pile) > 1"]
        if self._pools:
            offered += [f"some d in {draw.choice(self._pools)} where d.natural = {draw.randint(1, 2)}"] * 2
        return draw.choice(offered)

    def _write_number(self) -> str:
        draw = self._draw
        offered = [*self._numbers, f"grade({draw.choice(self._numbers)})", "count(pile)"]
        if self._pools:
            pool = draw.choice(self._pools)
            offered += [
                f"hits({pool}, 2)",
                f"total({pool})",
                f"count(each d in {pool} where d.rerolls > 0)",
                f"sum([each d in {pool} where d.natural >= 2: d.natural])",
            ]
        return draw.choice(offered)


def _draw_from(place: str, name: str) -> list[str]:
    """A draw under a name that is 0 where nothing can be drawn."""
    return [
        f"let {name}: 0..9 = 0",
        f"if count({place}) > 0:",
        f"  draw from {place} as {name}x",
        f"  set {name} to {name}x",
        "else:",
        "  add up to 1 to score",
    ]


def write_procedure(seed: int) -> str:
    """The text of a random procedure."""
    return _ChanceWriter(Random(f"chance {seed}")).write_procedure()
