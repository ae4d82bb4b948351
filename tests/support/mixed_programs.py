"""Random programs in which every option of a roll meets every sort of branch.

One name is given by rolls of different sorts in branches (`if`, `match`, `whether`, options, loops, jumps, `else` of takes, draws
and questions), and in procedures and handlers that the play comes to.
"""

from dataclasses import dataclass, field
from random import Random

from support.roll_programs import NAMED, READERS, RollWriter

_SIDES = (2, 3, 3, 4, 4, 6, 6, 66, "step")
_HEAD = f"""\
ruleset example "Example" revision "1" edition 2
values Hue: red, blue
values Stance: calm, keen, wild
die step: 1 * 2, 2, 3
kind Unit, units "A unit":
  owner: player
  health: 0..9
  stance: Stance
game:
  turn: 0..9 = 0
  spent: 0..99 = 0
  lots: bag of 1..3 = {{}}
{READERS}\
event struck(t: Unit, amount: 0..9) "A unit is struck":
  holders units
  order by [t.owner]
whenever calmed for each u in units "A weak unit is calm":
  when u.health <= 1 and u.stance != calm
  priority 1
  lowers count(each x in units where x.stance != calm)
  set u.stance to calm
"""
_LOOKS = (
    "d.natural >= 2",
    "d.natural = 1",
    "d.natural in {1, 3}",
    "d.first = d.natural",
    "d.first > 1",
    "d.rerolls > 0",
    "d.rerolls < 2",
)
_CONDITIONS = (
    "u.health > t.health",
    "u.health >= 2",
    "t.stance = wild",
    "u.stance in {calm, keen}",
    "turn < 3",
    "(some x in units where x.health <= 2)",
    "(every x in units: x.health > 0)",
)


@dataclass
class _MixedProgramWriter:
    """Writes a ruleset; of a plain one the batch path is to take what it can."""

    draw: Random
    is_plain: bool
    pools: list[str] = field(default_factory=list)  # names of pools given here
    dice: list[str] = field(default_factory=list)  # of dice that are named alone
    numbers: list[str] = field(default_factory=list)
    names: int = 0
    calls: tuple[str, ...] = ()
    is_handler: bool = False

    def write_ruleset(self) -> str:
        draw = self.draw
        text = _HEAD
        many = draw.choice((0, 0, 1)) if self.is_plain else draw.choice((0, 0, 1, 2))
        for number in range(many):
            guard = draw.choice(("u != t", "u.stance = wild", "u.health > amount"))
            optional = draw.choice(("", " optional"))
            text += f"handler reply_{number} for each u in units on struck when {guard}{optional}:\n"
            text += self._write_routine(2, 0, 1, handler=True)
        text += "procedure aside(u: Unit, t: Unit) gives 0..999:\n" + self._write_routine(2, 0, 2)
        text += f"  finish with {self._write_worth(999)}\n"
        self.calls = ("aside",)
        return text + "procedure main(u: Unit, t: Unit) gives 0..9999:\n" + self._write_main()

    def _write_routine(self, indent: int, low: int, high: int, *, handler: bool = False) -> str:
        self.pools, self.dice, self.numbers, self.is_handler = [], [], [], handler
        lines = self._write_block(indent, self.draw.randint(low, high), 1, rolls=True)
        self.is_handler = False
        return "".join(f"{each}\n" for each in lines)

    def _write_main(self) -> str:
        self.pools, self.dice, self.numbers = [], [], []
        draw, steps = self.draw, self.draw.choice((1, 1, 1, 2, 3))
        if steps == 1:
            lines = self._write_block(2, draw.randint(1, 3), 2, rolls=True)
            return "".join(f"{each}\n" for each in [*lines, f"  finish with {self._write_worth(9999)}"])
        lines = self._write_block(2, 1, 1, rolls=True)
        before = len(self.pools), len(self.numbers), len(self.dice)
        for number in range(1, steps + 1):
            guard = f" when {self._write_condition()}" if draw.random() < 0.3 and number < steps else ""
            lines.append(f'  step {number} "Step {number}"{guard}:')
            lines += self._write_block(4, draw.randint(0, 1), 1, rolls=True)
            if number > 1 and draw.random() < 0.5:
                lines += [f"    if {self._write_condition()}:", f"      proceed to {draw.randint(1, number)} at most 2"]
                lines[-1] += "\n    take 1 from t.health" if draw.random() < 0.1 else ""
            if number < steps:
                del self.pools[before[0] :], self.numbers[before[1] :], self.dice[before[2] :]
        lines.append(f"    finish with {self._write_worth(9999)}")
        return "".join(f"{each}\n" for each in lines)

    def _make_name(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    # Expressions.

    def _write_number(self) -> str:
        offered = [
            *self.numbers,
            *(f"{each}.natural" for each in self.dice),
            "u.health",
            "t.health",
            "turn",
            str(self.draw.randint(0, 3)),
        ]
        if self.pools and self.draw.random() < 0.75:
            of, look = self.draw.choice(self.pools), self.draw.choice(_LOOKS[: 3 if self.is_plain else None])
            offered = [
                f"total({of})",
                f"count({of})",
                f"count(each d in {of} where {look})",
                f"sum(each d in {of} where {look}: d.natural)",
                f"hits({of}, 2)",
                f"best({of})",
                f"if(some d in {of} where {look}, 3, 1)",
                f"if(every d in {of}: {look}, 2, 0)",
                f"sum([each d in {of}: d.natural])",
            ]
        return self.draw.choice(offered)

    def _write_worth(self, most: int) -> str:
        return f"min({most}, {self._write_number()} + 10 * {self._write_number()})"

    def _write_condition(self) -> str:
        if self.pools and self.draw.random() < 0.6:
            of, look = self.draw.choice(self.pools), self.draw.choice(_LOOKS[: 3 if self.is_plain else None])
            return self.draw.choice(
                (f"(some d in {of} where {look})", f"{self._write_number()} > {self.draw.randint(1, 5)}")
            )
        return self.draw.choice(_CONDITIONS)

    def _make_rolls(self) -> RollWriter:
        """Rolls that may give one name."""
        few = [*(f"min(3, {each})" for each in self.numbers), "u.health"]
        named = "none" if self.is_plain else self.draw.choice(NAMED)
        return RollWriter(self.draw, self.draw.choice(_SIDES), named, numbers=few)

    def _write_pool(self, rolls: RollWriter | None = None) -> str:
        rolls = rolls or self._make_rolls()
        if self.is_plain or (rolls.named == "none" and self.draw.random() < 0.3):
            return rolls.write_plain_roll()
        return rolls.write_pool()

    # Lines.

    def _write_block(self, indent: int, many: int, depth: int, *, rolls: bool = False) -> list[str]:
        lines = self._write_two_sorts(indent, depth) if rolls else []
        for _ in range(many):
            lines += self._write_line(indent, depth)
        return lines

    def _write_inner_block(self, indent: int, depth: int, name: str = "", rolls: RollWriter | None = None) -> list[str]:
        """A block of its own, of which nothing is seen outside but a roll with a name."""
        pools, numbers, dice = [*self.pools], [*self.numbers], [*self.dice]
        lines = self._write_block(indent, self.draw.choice((0, 0, 1, 2) if name else (1, 1, 2)), depth - 1)
        if name:
            thrown = rolls.write_single_die() if rolls is not None and name.startswith("d") else self._write_pool(rolls)
            lines.append(f"{' ' * indent}roll {thrown} as {name}{self._choose_thrower()}")
            if self.draw.random() < 0.3 and name.startswith("p"):
                self.pools.append(name)
                lines += self._write_line(indent, 0)
        self.pools, self.numbers, self.dice = pools, numbers, dice
        return lines

    def _choose_thrower(self) -> str:
        return self.draw.choice(("", " by u.owner", " by t.owner"))

    def _write_two_sorts(self, indent: int, depth: int) -> list[str]:
        """One name that branches of some sort give by rolls of different sorts."""
        draw, pad = self.draw, " " * indent
        name = self._make_name("d" if draw.random() < 0.15 else "p")
        rolls = self._make_rolls()

        def write_first() -> str:
            return f"roll {rolls.write_single_die() if name.startswith('d') else self._write_pool(rolls)} as {name}"

        def write_inner(more: int = 2) -> list[str]:
            return self._write_inner_block(indent + more, depth, name, rolls)

        sorts = ["if", "if", "else if", "match", "match", "loop", "again", "whether", "choose", "take", "one"]
        sorts += [] if self.is_plain else ["draw"]
        lines = []
        match draw.choice(sorts):
            case "if":
                lines = [f"{pad}if {self._write_condition()}:", *write_inner(), f"{pad}else:", *write_inner()]
            case "else if":
                lines = [
                    f"{pad}if {self._write_condition()}:",
                    *write_inner(),
                    f"{pad}else if {self._write_condition()}:",
                    *write_inner(),
                ]
                lines += [f"{pad}else:", *write_inner()]
            case "match":
                lines = [f"{pad}match {draw.choice('ut')}.stance:", f"{pad}  on calm:", *write_inner(4)]
                if draw.random() < 0.5:
                    lines += [f"{pad}  on keen:", *write_inner(4)]
                lines += [f"{pad}  otherwise:", *write_inner(4)]
            case "loop":
                lines = [f"{pad}{write_first()}{self._choose_thrower()}"]
                if draw.random() < 0.5:
                    lines.append(f"{pad}for each {self._make_name('x')} in {draw.choice(('units', '1..2'))}:")
                    lines += write_inner()
                else:
                    lines.append(f"{pad}repeat while turn < 4 and {self._write_condition()} at most 12:")
                    lines += [f"{pad}  add up to 1 to turn", *write_inner()]
            case "again":
                lines = [f"{pad}{write_first()}{self._choose_thrower()}"]
                lines += [f"{pad}if {self._write_condition()}:", *write_inner()]
            case "whether":
                ask = f"{pad}ask u.owner whether {self._make_name('w')}{draw.choice(('', ' when ' + self._write_condition()))}:"
                lines = [ask, *write_inner(), f"{pad}else:", *write_inner()]
            case "choose":
                lines = [f"{pad}ask t.owner to choose {self._make_name('c')}:"]
                lines += [f"{pad}  option one{draw.choice(('', ' when ' + self._write_condition()))}:", *write_inner(4)]
                lines += [f"{pad}  option two:", *write_inner(4)]
            case "take":
                lines = [f"{pad}{write_first()}", f"{pad}take {draw.randint(1, 4)} from u.health"]
                lines += [f"{pad}else:", *write_inner()]
            case "draw":
                lines = [f"{pad}{write_first()}", f"{pad}draw from lots as {self._make_name('l')}"]
                lines += [f"{pad}else:", *write_inner()]
            case _:
                member = self._make_name("m")
                lines = [f"{pad}ask u.owner for {member} in units where {member}.health > {draw.randint(1, 6)}:"]
                lines += [*write_inner(), f"{pad}else:", *write_inner()]
        (self.dice if name.startswith("d") else self.pools).append(name)
        return lines

    def _write_line(self, indent: int, depth: int) -> list[str]:
        draw, pad = self.draw, " " * indent
        sorts = ["roll", "let", "set", "change", "change", "reroll", "reroll"]
        if depth > 0:
            sorts += ["sorts", "sorts", "if", "for", "strike", "aside", "number", "stop"]
            sorts += [] if self.is_plain else ["pick", "one die", "rank", "split", "finish"]
        match draw.choice(sorts):
            case "roll":
                name = self._make_name("p")
                lines = [f"{pad}roll {self._write_pool()} as {name}{self._choose_thrower()}"]
                self.pools.append(name)
                return lines
            case "let":
                name = self._make_name("n")
                lines = [f"{pad}let {name}: 0..999 = min(999, {self._write_number()} + {self._write_number()})"]
                self.numbers.append(name)
                return lines
            case "set" if self.numbers:
                return [f"{pad}set {draw.choice(self.numbers)} to min(999, {self._write_number()} * 2)"]
            case "reroll" if self.pools or self.dice:
                return self._write_reroll(pad)
            case "sorts":
                return self._write_two_sorts(indent, depth)
            case "if":
                lines = [f"{pad}if {self._write_condition()}:", *self._write_inner_block(indent + 2, depth)]
                return lines + (
                    [f"{pad}else:", *self._write_inner_block(indent + 2, depth)] if draw.random() < 0.5 else []
                )
            case "for":
                name = self._make_name("x")
                lines = [f"{pad}for each {name} in units where {name}.health > {draw.randint(0, 3)}:"]
                return [*lines, f"{pad}  add up to 1 to {name}.health", *self._write_inner_block(indent + 2, depth)]
            case "strike" if not self.is_handler:
                return [f"{pad}trigger struck(t, min(9, {self._write_number()}))"]
            case "aside" if self.calls:
                name = self._make_name("n")
                lines = [f"{pad}perform aside({draw.choice(('u, t', 't, u'))}) as {name}"]
                self.numbers.append(name)
                return lines
            case "number":
                name = self._make_name("n")
                ask = f"{pad}ask {draw.choice('ut')}.owner for {name} in 0..{draw.randint(1, 3)}:"
                return [ask, f"{pad}  add up to {name} to spent"]
            case "pick" if self.pools:
                name, of = self._make_name("k"), draw.choice(self.pools)
                ask = f"{pad}ask u.owner to pick 0..{draw.randint(1, 2)} of each d in {of} where {draw.choice(_LOOKS)}"
                return [f"{ask} as {name}", f"{pad}reroll {name}"]
            case "one die" if self.pools:
                name = self._make_name("e")
                ask = f"{pad}ask t.owner for {name} in {draw.choice(self.pools)}:"
                return [
                    ask,
                    f"{pad}  add up to {name}.natural to spent",
                    f"{pad}  reroll {name}",
                    f"{pad}else:",
                    f"{pad}  nothing",
                ]
            case "rank":
                name = self._make_name("r")
                throw = f"{draw.choice(('highest', 'lowest'))} roll {self._choose_roll_form()} by m.owner"
                lines = [
                    f"{pad}rank each m in units as {name}:",
                    f"{pad}  health: highest m.health",
                    f"{pad}  last: {throw}",
                ]
                return [
                    *lines,
                    f"{pad}for each m in {name}:",
                    f"{pad}  take up to position(m, {name}) - 1 from m.health",
                ]
            case "split":
                name = self._make_name("s")
                lines = [f"{pad}ask u.owner to split {draw.randint(1, 2)} over units as {name}:"]
                return [*lines, f"{pad}  for each m in {name}:", f"{pad}    take up to {name}[m] from m.health"]
            case "stop":
                lines = [f"{pad}for each {self._make_name('x')} in 1..3:", *self._write_inner_block(indent + 2, depth)]
                return [*lines, f"{pad}  if {self._write_condition()}:", f"{pad}    stop"]
            case "finish" if not self.is_handler:
                return [
                    f"{pad}if {self._write_condition()} and turn > 2:",
                    f"{pad}  finish with {self._write_worth(999)}",
                ]
        return [pad + self._write_change()] if draw.random() < 0.8 else self._write_together(pad)

    def _choose_roll_form(self) -> str:
        return self.draw.choice(("d6", "2 of d4", "[2 of d4 keep highest 1, d6]", "[2 of d6 explode on 6 at most 1]"))

    def _write_reroll(self, pad: str) -> list[str]:
        of = self.draw.choice(self.pools + self.dice)
        if self.is_plain or of in self.dice or self.draw.random() < 0.4:
            return [f"{pad}reroll {of}{self._choose_thrower()}"]
        name = self._make_name("s")
        lines = [f"{pad}let {name} = {{each d in {of} where {self.draw.choice(_LOOKS)}}}", f"{pad}reroll {name}"]
        return [*lines, f"{pad}add up to count(each d in {name} where d.natural = 3) to spent"]

    def _write_change(self) -> str:
        who, stance = self.draw.choice("ut"), self.draw.choice(("calm", "keen", "wild"))
        return self.draw.choice(
            (
                f"take up to {self._write_number()} from {who}.health",
                f"add up to {self._write_number()} to {who}.health",
                f"add up to {self._write_number()} to spent",
                f"set {who}.stance to {stance}",
                "add up to 1 to turn",
                *([] if self.is_plain else ["add 2 to lots"]),
            )
        )

    def _write_together(self, pad: str) -> list[str]:
        return [f"{pad}together:", f"{pad}  {self._write_change()}", f"{pad}  {self._write_change()}"]


def write_program(seed: int) -> str:
    """A random program."""
    draw = Random(seed)
    return _MixedProgramWriter(draw, is_plain=draw.random() < 0.4).write_ruleset()
