"""Small rulesets made at random, and starts for them."""

from random import Random

from rulewright.runtime.state import GameSetup, Situation
from support.reference.ruleset_texts import read_rules
from support.roll_programs import RollWriter

HEAD = read_rules("random")

CONDITIONS = (
    "u.morale > t.morale",
    "u.health >= 2 and not t.gone",
    "some x in units where x.owner != u.owner and x.health < 3",
    "no x in units where x.mood = angry",
    "every x in units where x.owner = u.owner: x.morale > 0",
    "bond(u, t) or t in u.friends",
    "count(each x in units where x.hurt) >= 2",
    "vigour(u) > vigour(t)",
    "boldest(u, t) = u",
    "heard > 2",
    "u.gone",
    "turn < 3",
    "t.mood in {calm, wary}",
)
SIMPLE = (
    "take up to 1 from t.health",
    "take up to 2 from u.morale",
    "add up to 3 to t.morale",
    "set u.mood to along(u.mood, 1)",
    "set t.mood to if(u.hurt, angry, calm)",
    "add t to u.friends",
    "take t from u.friends",
    "add (u, t) to bond",
    "take (u, t) from bond",
    "add up to 1 to turn",
    "remove t",
    "perform strike(t, 2)",
    "perform strike(u, 1)",
    "trigger struck(t, 1)",
    "set u.morale to min(9, vigour(t))",
    "set u.friends to {each x in units where x.owner = t.owner}",
    "nothing",
    "add u.mood to stack",
    "shuffle stack",
    "perform take_card(t)",
    "trigger called(u)",
)


class RulesetWriter:
    """Writes a procedure at random."""

    def __init__(self, seed: int) -> None:
        self._draw = Random(seed)
        self._names = 0

    def write_ruleset(self) -> str:
        """The whole ruleset."""
        steps = self._draw.randint(1, 4)
        lines = ['procedure main(u: Unit, t: Unit) "Main":', "  let heard: 0..99 = 0"]
        lines += ["  watch struck when amount > 0:", "    add up to amount to heard"]
        for number in range(1, steps + 1):
            guard = f" when {self._write_condition()}" if self._draw.random() < 0.4 else ""
            lines.append(f'  step {number} "Step {number}"{guard}:')
            lines += self._write_block(4, 2)
            if number < steps and self._draw.random() < 0.3:
                target = self._draw.randint(number + 1, steps)
                lines += [f"    if {self._write_condition()}:", f"      proceed to {target}"]
            elif number > 1 and self._draw.random() < 0.3:
                lines += [
                    f"    if {self._write_condition()}:",
                    f"      proceed to {self._draw.randint(1, number)} at most 2",
                ]
        return HEAD + "\n".join(lines) + "\n"

    def _write_condition(self) -> str:
        return self._draw.choice(CONDITIONS)

    def _make_name(self, stem: str) -> str:
        self._names += 1
        return f"{stem}_{self._names}"

    def _write_block(self, indent: int, depth: int) -> list[str]:
        lines: list[str] = []
        for _ in range(self._draw.randint(1, 3)):
            lines += self._write_line(indent, depth)
        return lines

    def _write_line(self, indent: int, depth: int) -> list[str]:
        pad = " " * indent
        inner = indent + 2
        if depth == 0 or self._draw.random() < 0.4:
            return [pad + self._draw.choice(SIMPLE)]
        player = self._draw.choice(("u.owner", "t.owner"))
        under = self._write_block(inner, depth - 1)
        name = self._make_name("x")
        match self._draw.choice(
            (
                *("if", "for", "repeat", "whether", "one", "pick", "split", "order", "choose", "roll", "together"),
                *("take", "rank", "all", "secretly"),
            )
        ):
            case "if":
                return [
                    f"{pad}if {self._write_condition()}:",
                    *under,
                    f"{pad}else:",
                    *self._write_block(inner, depth - 1),
                ]
            case "for":
                where = " where " + self._write_condition() if self._draw.random() < 0.5 else ""
                return [f"{pad}for each {name} in units{where}:", f"{pad}  take up to 1 from {name}.morale", *under]
            case "repeat":
                head = f"{pad}repeat while turn < 9 and ({self._write_condition()}) at most 12:"
                return [head, f"{pad}  add up to 2 to turn", *under]
            case "whether":
                when = f" when {self._write_condition()}" if self._draw.random() < 0.5 else ""
                return [
                    f'{pad}ask {player} whether {name}{when} "Do it?":',
                    *under,
                    f"{pad}else:",
                    f"{pad}  add up to 1 to turn",
                ]
            case "one":
                where = " where " + self._write_condition() if self._draw.random() < 0.5 else ""
                ask = f'{pad}ask {player} for {name} in units{where} "Which?":'
                return [ask, f"{pad}  take up to 1 from {name}.health", *under, f"{pad}else:", f"{pad}  nothing"]
            case "pick":
                ask = f'{pad}ask {player} to pick 0..2 of each m in units where m.morale > 1 as {name} "Which ones?":'
                require = f'{pad}  require few: count({name}) < 2 or u in {name} "with the leader"'
                return [ask, require, f"{pad}  for each m in {name}:", f"{pad}    add up to 1 to m.morale"]
            case "split":
                ask = f'{pad}ask {player} to split 2 over units as {name} "How?":'
                return [
                    ask,
                    f"{pad}  for each m in {name}:",
                    f"{pad}    take up to {name}[m] from m.morale",
                    f"{pad}else:",
                    f"{pad}  nothing",
                ]
            case "order":
                ask = f'{pad}ask {player} to order u.friends as {name} "In which order?"'
                return [ask, f"{pad}for each m in {name}:", f"{pad}  perform strike(m, 1)"]
            case "choose":
                options = [f'{pad}  option one when {self._write_condition()} "One":', *self._write_block(inner + 2, 0)]
                return [f'{pad}ask {player} to choose {name} "What?":', *options, f'{pad}  option two "Two"']
            case "roll":
                again = (
                    f'{pad}ask {player} to pick 0..1 of each d in {name} where d.rerolls = 0 as again_{name} "Again?"'
                )
                dice = "3 of d6 keep highest 2", "[u: 2d6 with advantage u.health - 1, t: 1 of d4]", "[t: 2 of d6]"
                pool = [f"{pad}roll {self._draw.choice(dice)} as {name} by {player}"]
                if self._draw.random() < 0.5:
                    rolls = RollWriter(self._draw, self._draw.choice((3, 6)))
                    one, other = (
                        f"{pad}  roll {each} as {name}" for each in (rolls.write_pool(), rolls.write_plain_roll())
                    )
                    pool = [f"{pad}if {self._write_condition()}:", one, f"{pad}else:", f"{other} by {player}"]
                wounds = f"{pad}take up to count(each d in {name} where d.natural >= 4) from t.health"
                return [*pool, again, f"{pad}reroll again_{name} by {player}", wounds]
            case "together":
                simple = [f"{pad}  {self._draw.choice(SIMPLE[:10])}" for _ in range(2)]
                return [f"{pad}together:", *simple]
            case "rank":
                where = " where " + self._write_condition() if self._draw.random() < 0.5 else ""
                rolls = "highest roll d6 by m.owner ", "lowest roll 2 of d4 by m.owner "
                last = self._draw.choice((f"ask {player} ", *rolls))
                return [
                    f"{pad}rank each m in units{where} as {name}:",
                    f"{pad}  health: {self._draw.choice(('highest', 'lowest'))} m.health",
                    f"{pad}  mood: highest m.mood = {self._draw.choice(('calm', 'angry'))}",
                    f'{pad}  last: {last}"Who first?"',
                    f"{pad}for each m in {name}:",
                    f"{pad}  take up to position(m, {name}) from m.morale",
                ]
            case "all":
                ask = f"{pad}ask all players as p to pick 0..1 of each m in units where m.owner = p as {name}"
                return [
                    f'{ask} "Who?"',
                    f"{pad}for each p in players:",
                    f"{pad}  for each m in {name}[p]:",
                    f"{pad}    add up to 1 to m.morale",
                ]
            case "secretly":
                ask = f'{pad}ask {player} secretly to choose {name} "In secret?":'
                options = [f'{pad}  option one when {self._write_condition()} "One"', f'{pad}  option two "Two"']
                return [ask, *options, f"{pad}reveal {name}", f'{pad}if {name} = "one":', *under]
            case _:
                return [f"{pad}take 2 from t.morale", f"{pad}else:", *under]


def make_situation(seed: int) -> Situation:
    """Two to three units of two players."""
    draw = Random(seed)
    number = draw.randint(2, 3)
    units = range(number)
    return Situation(
        GameSetup({"player": ("red", "blue"), "Unit": tuple(f"unit{each}" for each in units)}),
        {
            "Unit/owner": tuple(draw.randrange(2) for _ in units),
            "Unit/health": tuple(draw.randint(1, 5) for _ in units),
            "Unit/morale": tuple(draw.randint(0, 9) for _ in units),
            "Unit/mood": tuple(draw.randrange(3) for _ in units),
            "Unit/friends": tuple(tuple(each for each in units if draw.random() < 0.4) for _ in units),
        },
        {},
        {"turn": draw.randrange(4), "stack": tuple(draw.randrange(3) for _ in range(draw.randint(0, 4)))},
        relations={"bond": ((0, 1),) if draw.random() < 0.5 else ()},
    )
