"""Rulesets made at random whose lines may fault: things leave play, boards end, needs and invariants are broken."""

from random import Random

from support.reference.ruleset_texts import read_rules

BOARD_RULES = read_rules("board")

RISKY = (
    "remove t",
    "remove u",
    "remove n",
    "move t to u.at",
    "move t to step(t.at, t.facing)",
    "move u to hex(0, 1)",
    "turn t to face u.at",
    "turn t to face t.at",
    "turn u to 2",
    "perform shove(t)",
    "perform strike(u, t)",
    "perform spend(t)",
    "trigger hit(t)",
    "set t.leader to u",
    "set turn to min(9, position(t, queue))",
    "take t from queue",
    "add t to queue",
    "add up to 2 to t.score",
    "take up to 1 from t.health",
    "take 1 from t.health",
    "set m.near to gap(m, n) <= 1",
    "set m.near to reach(m, n)",
    "set turn to min(9, max(each x in units where x.health < 3: x.score))",
    "set turn to min(9, floor(t.score / u.score))",
    "set m.near to bearing(m, n) = 0",
)
LEADER = ("let {name} = t.leader", "if {name} != none:", "  turn {name} to 3")
FIRST = ("let {name} = queue[1]", "turn {name} to 4")
GUARDS = (
    "not t.gone and not u.gone",
    "not n.gone and not m.gone",
    "t in units and u in units",
    "some x in queue",
    "t in queue",
    "t.at != u.at",
    "u != t and adjacent(u.at, t.at)",
    "t.health >= 2",
    "step(t.at, t.facing) in field and (no x in occupants(step(t.at, t.facing)))",
    "some x in units where x.health < 3",
    "u.score > 0",
    "t.health > 3 or u.health > 3",
)


class BoardWriter:
    """Writes such a procedure; some lines stand under a guard that makes them safe, some under another."""

    def __init__(self, seed: int) -> None:
        self._draw = Random(seed)
        self._names = 0

    def write_ruleset(self) -> str:
        """The whole ruleset."""
        lines = ['procedure main(u: Unit, t: Unit, m: Mini, n: Mini) "Main":']
        for number in range(1, self._draw.randint(2, 4)):
            guard = f" when {self._draw.choice(GUARDS)}" if self._draw.random() < 0.3 else ""
            lines.append(f'  step {number} "Step {number}"{guard}:')
            lines += self._write_block(4, 2)
        return BOARD_RULES + "\n".join(lines) + "\n"

    def _write_block(self, indent: int, depth: int) -> list[str]:
        return [line for _ in range(self._draw.randint(1, 3)) for line in self._write_line(indent, depth)]

    def _write_line(self, indent: int, depth: int) -> list[str]:
        pad = " " * indent
        self._names += 1
        name = f"x_{self._names}"
        sort = self._draw.choice(("plain", "plain", "if", "for", "ask", "leader", "first", "together"))
        if depth == 0 and sort in {"if", "for", "ask"}:
            sort = "plain"
        match sort:
            case "if":
                return [f"{pad}if {self._draw.choice(GUARDS)}:", *self._write_block(indent + 2, depth - 1)]
            case "for":
                inside = self._draw.choice(
                    (f"turn {name} to face t.at", f"remove {name}", f"perform strike({name}, t)")
                )
                return [f"{pad}for each {name} in units where {name} != t:", f"{pad}  {inside}"]
            case "ask":
                ask = f"{pad}ask u.owner for {name} in {self._draw.choice(('neighbours(t.at)', 'field'))}"
                empty = self._draw.choice((f" where (no x in units where x.at = {name})", ""))
                return [f'{ask}{empty} "Where?":', f"{pad}  move t to {name}", f"{pad}else:", f"{pad}  nothing"]
            case "leader":
                return [pad + each.format(name=name) for each in LEADER]
            case "first":
                return [pad + each.format(name=name) for each in FIRST]
            case "together":
                lines = ("take up to 2 from t.health", "move t to u.at", "if t.health = 0:\n" + pad + "    remove t")
                return [f"{pad}together:", *(f"{pad}  {self._draw.choice(lines)}" for _ in range(2))]
            case _:
                return [pad + self._draw.choice(RISKY)]
