"""Rulesets made at random that mix what the others leave out.

External terms and procedures in all places, holds, `finish` of outer procedures, performed ranges and bounded recursion,
removals inside `together`, events within events, places inside records, maps and lists, cells, sides, paths, tables.
"""

from random import Random

from support.reference.ruleset_texts import read_rules

THICK_RULES = read_rules("thick")
CONDITIONS = (
    "lucky(u.health)",
    "reach(t) > 1",
    "near(u, t)",
    "linked(u, t)",
    "count(connected(u, linked)) > 1",
    "vigour(u) > vigour(t) or lucky(0)",
    "boldest(u, t) = u",
    "u.gone",
    "t.mood != calm and t.health > 0",
    "heard > 1",
    "(some (a, b) in pairs(units, units) where a != b and near(a, b))",
    "(every x in units: far(x) > reach(x))",
    "no x in occupants(t.at) where x != t",
    "turn < 5",
    "count(u.tokens) > 1",
    "worth[t] > 2",
    "memo.first in memo.rest",
    "side(u.at, step(u.at, u.facing)).river",
)
LINES = (
    "take up to reach(t) from t.health",
    "take up to 3 from t.health",
    "add up to far(u) to t.health",
    "set t.mood to along(t.mood, if(lucky(t.health), 1, -1))",
    "set t.mood to angry",
    "set u.mood to wary",
    "set u.leader to t",
    "set t.leader to none",
    "add (u, t) to bond",
    "take (u, t) from bond",
    "add t to u.friends",
    "remove t",
    "move u to t.at",
    "turn u to face t.at",
    "turn t to u.facing",
    "set u.at.height to min(5, turn)",
    "set t.at.woods to lucky(u.health)",
    "set worth[t] to vigour(u)",
    "add up to 1 to worth[u]",
    "set worth to 3",
    "set memo.first to vigour(t)",
    "add reach(u) to memo.rest",
    "set memo.rest[1] to u.health",
    "set many[t][1] to 4",
    "add vigour(t) to many[u]",
    "set many[u] to many[t]",
    "add 2 to u.tokens",
    "set t.tokens to u.tokens + t.tokens",
    "shuffle pile",
    "set row to row + [reach(t)]",
    "set row to row - [1]",
    "add up to band(t.health) to turn",
    "add up to row[1] to turn",
    "trigger hit(t, vigour(u))",
    "trigger hit(u, 3)",
    "trigger called(t)",
    "trigger seen(min(9, count(units)))",
    "perform omen()",
    "perform whole(u, t)",
    "perform whole(t, u)",
)
"""Lines with the names of all procedures."""


class ThickWriter:
    """Writes a procedure, and two that it performs."""

    def __init__(self, seed: int) -> None:
        self._draw = Random(seed)
        self._names = 0
        self._is_main = False
        self._ends = ["finish with 3", "finish main with 4"]  # lines that end a procedure

    def write_ruleset(self) -> str:
        """The whole ruleset."""
        whole = [*self._write_head("whole(u: Unit, t: Unit)", self._draw.choice(("", "death", "dread, parting")))]
        inner = [*self._write_head("inner(n: 0..3, u: Unit, t: Unit) gives 0..99", self._draw.choice(("", "dread")))]
        whole += self._draw.sample([each for each in LINES if "whole" not in each], 3)
        inner += ['step a "A":', *self._write_block(1, deep=True), 'step b "B" when reach(u) > 0:']
        inner += [*self._write_block(1, deep=True), "  if heard < 5:", "    proceed to a at most 1", 'step c "C":']
        inner += [*self._write_block(1), "  finish with heard"]
        self._is_main, self._ends = True, ["finish with 5"]
        main = [*self._write_head("main(u: Unit, t: Unit) gives 0..99", "")]
        if self._draw.random() < 0.3:
            main += [f"require fit: {self._write_condition()}", f"let at_first = {self._write_condition()}"]
        for number in (1, 2, 3):
            guard = f" when {self._write_condition()}" if number < 3 and self._draw.random() < 0.4 else ""
            main += [f'step {number} "Step {number}"{guard}:', *self._write_block(2)]
            main += ["  trigger hit(t, 3)", "  perform inner(2, u, t)"] if number == 2 else []
            if self._draw.random() < 0.3:
                main += [f"  if {self._write_condition()}:", f"    proceed to {self._draw.randint(1, 3)} at most 2"]
        main.append(f"  finish with min(99, heard + {self._draw.choice(('turn', 'vigour(u)', 'memo.first'))})")
        blocks = [
            "\n".join([f"procedure {each[0]}:", *(f"  {line}" for line in each[1:])]) for each in (whole, inner, main)
        ]
        return THICK_RULES + "\n".join(blocks) + "\n"

    def _write_head(self, head: str, held: str) -> list[str]:
        lines = [head, f"hold {held}"] if held else [head]
        lines += ["let heard: 0..99 = 0", "let memo = Memo(first: 1, rest: [1, 2])"]
        lines += ["let many: map of Unit to list of 0..9 = [1, 2]"]
        watched = self._draw.choice(("hit when amount > 1", "seen when lucky(n)", "lost when gone_one != u"))
        noted = (
            ["  for each x in units:", "    add up to reach(x) to heard"]
            if "lucky" in watched
            else ["  add up to 1 to heard"]
        )
        return [*lines, f"watch {watched}:", *noted]

    def _make_name(self, stem: str) -> str:
        self._names += 1
        return f"{stem}_{self._names}"

    def _write_condition(self) -> str:
        return self._draw.choice(CONDITIONS)

    def _write_block(self, depth: int, *, deep: bool = False) -> list[str]:
        lines = [line for _ in range(self._draw.randint(1, 3)) for line in self._write_line(depth)]
        if deep and self._draw.random() < 0.4:
            name = self._make_name("deeper")
            steps = self._draw.choice(("", " steps a to b", " steps b to c"))
            lines += ["if n > 0:", f"  perform inner(n - 1, t, u){steps} at most 2 deep as {name}"]
            lines += [f"  add up to {name} to heard"] if not steps else []
        return [f"  {line}" for line in lines]

    def _write_line(self, depth: int) -> list[str]:
        if depth == 0 or self._draw.random() < 0.45:
            return [self._draw.choice(LINES)]
        draw, under, name, player = self._draw, self._write_block(depth - 1), self._make_name("x"), "u.owner"
        condition = self._write_condition()
        sorts = ["if", "pairs", "repeat", "match", "tally", "decide", "one", "pick", "split", "order", "choose"]
        sorts += ["rank", "roll", "draw", "together", "all", "gains", "shell", "march", "take", "stop", "finish"]
        sorts += ["inner", "inner"] if self._is_main else []
        match draw.choice(sorts):
            case "if":
                return [f"if {condition}:", *under, f"else if {self._write_condition()}:", *self._write_block(0)]
            case "pairs":
                return [f"for each ({name}, y_{name}) in pairs(units, units) where {name} != y_{name}:",
                        f"  take up to 1 from y_{name}.health", *under]  # fmt: skip
            case "repeat":
                return [
                    f"repeat while turn < 20 and {condition} at most 9 + reach(u):",
                    "  add up to 3 to turn",
                    *under,
                ]
            case "match":
                return [
                    "match reach(t):",
                    "  on 0, 2:",
                    *(f"  {each}" for each in under),
                    "  otherwise:",
                    "    nothing",
                ]
            case "tally":
                return [f"tally {name} from heard:", f"  one: +x.health for each x in units where {condition}",
                        "  two: times 2 when lucky(3)", "  most: at most 99", f"add up to {name} to turn"]  # fmt: skip
            case "decide":
                return [f"decide {name}:", f"  one: u when {condition}", "  two: t otherwise",
                        f"take up to 1 from {name}.health"]  # fmt: skip
            case "one":
                rows = [f"  prefer far: {name} != u", f"  require fit: {name}.health > 0 or lucky({name}.health)",
                        f"  prefer weak: {name}.health < 3 when reach({name}) > 0"]  # fmt: skip
                draw.shuffle(rows)
                where = draw.choice(("", f" where near(u, {name})", f" where lucky({name}.health)"))
                return [f'ask {player} for {name} in units{where} "Which?":', *rows, f"  remove {name}", *under,
                        "else:", "  add up to 1 to heard"]  # fmt: skip
            case "pick":
                return [f'ask t.owner to pick 0..reach(u) of each m in units where {condition} as {name} "Which?":',
                        f"  require few: count({name}) < 3 or u in {name}", f"  for each y in {name}:",
                        "    set y.mood to angry", "else:", "  nothing"]  # fmt: skip
            case "split":
                return [f'ask {player} to split reach(t) over units as {name} "How?":',
                        f"  require fit: every y in units: {name}[y] < 3", f"  for each y in {name}:",
                        f"    take up to {name}[y] from y.health", "else:", "  nothing"]  # fmt: skip
            case "order":
                return [f'ask {player} to order {{each y in units where {condition}}} as {name} "Order?":',
                        f"  for each y in {name}:", f"    add up to position(y, {name}) to worth[y]", "else:",
                        "  nothing"]  # fmt: skip
            case "choose":
                return [f'ask {player} to choose {name} "What?":', f'  option one when {condition} "One":',
                        *(f"  {each}" for each in under), '  option two when lucky(turn) "Two"', "else:",
                        "  nothing"]  # fmt: skip
            case "rank":
                last = draw.choice((f"ask {player}", "highest roll [2 of d3 keep highest 1, d2] by m.owner"))
                return [f"rank each m in units where m.health > 0 as {name}:", "  one: highest reach(m)",
                        f"  two: {last}", f"for each y in {name}:", f"  take up to position(y, {name}) from y.health"]  # fmt: skip
            case "roll":
                option = draw.choice(("keep highest reach(u)", "drop lowest 1", "explode on 3 at most reach(t)"))
                return [f"roll [reach(u) + 1 of d4 {option}, 2 of d3] drop lowest reach(t) as {name} by {player}",
                        f"let low_{name} = {{each d in {name} where d.natural < 2}}", f"reroll low_{name}", f"add up to count({name}) to heard",
                        f"if some d in {name} where d.rerolls > 0:", *under]  # fmt: skip
            case "draw":
                place = draw.choice(("u.tokens", "pile", "row", "u.friends"))
                return [f"draw from {place} as {name}", "else:", *under]
            case "together":
                return ["together:", f"  take up to {draw.randint(1, 4)} from t.health", "  for each y in units:",
                        "    if y.health < 2:", "      remove y", "  set u.mood to wary"]  # fmt: skip
            case "all":
                return [f'ask all players as p for {name} in units where {name}.owner = p or lucky({name}.health) "Whom?":',
                        f"  require fit: {name}.health < 9", "for each p in players:",
                        f"  take up to 1 from {name}[p].health"]  # fmt: skip
            case "gains":
                return [
                    f"trigger hit(t, 2) as {name}",
                    f"add up to count({name}) to heard",
                    "if lucky(min(9, heard)):",
                    *under,
                ]
            case "shell":
                return [f"perform shell(t) as {name}", f"add up to {name} to heard"]
            case "march":
                return [f'ask {player} for {name} in march(u) "Where?":', f"  move u to {name}", *under, "else:",
                        "  nothing"]  # fmt: skip
            case "take":
                line = draw.choice(("take 2 from t.health", "take 1 from memo.rest", "take 2 from u.tokens"))
                return [line, "else:", *under]
            case "stop":
                return [f"for each {name} in units:", f"  if {condition}:", "    stop", *under]
            case "finish":
                return [f"if {condition}:", f"  {draw.choice(self._ends)}"]
            case _:
                steps = draw.choice(("", "", " steps a to b", " steps b to c"))
                line = f"perform inner({draw.randint(0, 3)}, u, t){steps}"
                return [line] if steps else [f"{line} as {name}", f"add up to {name} to heard"]
