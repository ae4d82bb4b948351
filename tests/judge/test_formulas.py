"""Formulas for the solver come to what the judge comes to: generated terms and those of all shipped rulesets."""

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import pytest

from rulewright.api import load
from rulewright.base.diagnostics import Severity
from rulewright.documents.document_nodes import make_unplaced_map
from rulewright.documents.name_table import REMOVED
from rulewright.documents.state_file import parse_state
from rulewright.documents.state_generation import make_state
from rulewright.documents.value_sampling import NoValueError, SeededChoices, SizeRanges
from rulewright.program import types as ty
from rulewright.program.declarations import Function, Paths, Program
from support.formula_evaluation import FormulaEvaluator, compute_with_judge
from support.reference.ruleset_texts import load_text
from support.reference.world import World, open_world
from support.sample_sizes import choose_count

THINGS = """ruleset sums "Sums" revision "1"
values Health: fresh, tired, worn, down
values Arm: foot, horse, guns
record Card:
  title: Arm
  worth: -2..5
kind Unit, units "A unit":
  owner: player
  n: -4..6
  m: 0..9
  flag: flag
  health: Health
  friend: Unit?
  orders: set of Arm
  card: Card
  maybe: 0..3?
game:
  round: 0..9 = 0
  weather: Health = fresh
  allowed: set of Arm = {}
setting hard: flag = no "hard"
setting least: 0..3 = 1 "least"
"""


class TermWriter:
    """Terms of a random text."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._deep = 0

    def write_rules(self, number: int) -> str:
        lines = []
        for at in range(number):
            self._deep = 0
            kind = self._random.choice(["number", "number", "flag", "word", "tally", "decide", "table", "all", "maybe"])
            lines.append(getattr(self, f"_{kind}_term")(at))
        return THINGS + "".join(lines)

    def _number_term(self, at: int) -> str:
        return f"term t{at}(u: Unit, k: -3..3) gives -20..20 means round({self.number(4)})\n"

    def _flag_term(self, at: int) -> str:
        return f"term t{at}(u: Unit, k: -3..3) gives flag means {self.flag(4)}\n"

    def _word_term(self, at: int) -> str:
        return f"term t{at}(u: Unit, k: -3..3) gives Health means {self.word(3)}\n"

    def _maybe_term(self, at: int) -> str:
        value = f"if({self.flag(2)}, u.friend, if({self.flag(1)}, none, u))"
        return f"term t{at}(u: Unit, k: -3..3) gives Unit? means {value}\n"

    def _tally_term(self, at: int) -> str:
        rows = [
            f"  r{n}: {self._random.choice(['+', '-'])}{self.whole(2, plain=True)} when {self.flag(2)}\n"
            for n in range(3)
        ]
        rows += [
            f"  a{n}: {self._random.choice(['at least', 'at most', 'times'])} {self.whole(1, plain=True)}\n"
            for n in range(2)
        ]
        self._random.shuffle(rows)
        return f"tally t{at}(u: Unit, k: -3..3) from {self.whole(1)}:\n{''.join(rows)}"

    def _decide_term(self, at: int) -> str:
        rows = [f"  r{n}: {self.whole(2)} when {self.flag(2)}\n" for n in range(3)]
        return f"decide t{at}(u: Unit, k: -3..3) gives -9..20:\n{''.join(rows)}  else_: {self.whole(1)} otherwise\n"

    def _table_term(self, at: int) -> str:
        return f"term t{at}(u: Unit, k: -3..3) when any:\n" + "".join(f"  r{n}: {self.flag(2)}\n" for n in range(3))

    def _all_term(self, at: int) -> str:
        guards = [f" when {self.flag(1)}" if self._random.random() < 0.5 else "" for _ in range(3)]
        return f"term t{at}(u: Unit, k: -3..3) when all:\n" + "".join(
            f"  r{n}: {self.flag(2)}{guard}\n" for n, guard in enumerate(guards)
        )

    def _choose_term(self, depth: int, leaves: Sequence[str], ways: Sequence[Any]) -> str:
        if depth <= 0 or self._random.random() < 0.2:
            return self._random.choice(leaves)
        return str(self._random.choice(ways)(depth - 1))

    def whole(self, depth: int, *, plain: bool = False) -> str:
        leaves = ["u.n", "u.m", "k", "round", "2", "3", "least", "u.card.worth"]
        if plain:
            return self._random.choice(leaves)
        n = self.whole
        return self._choose_term(
            depth,
            leaves,
            [
                lambda d: f"({n(d)} + {n(d)})",
                lambda d: f"({n(d)} - {n(d)})",
                lambda d: f"({n(d)} * {n(0)})",
                lambda d: f"floor({n(d)} / {self._random.choice([2, 3, 7])})",
                lambda d: f"ceiling({n(d)} / {self._random.choice([2, 3, 7])})",
                lambda d: f"round({n(d)} / {self._random.choice([2, 4])})",
                lambda d: f"abs({n(d)})",
                lambda d: f"min({n(d)}, {n(d)}, {n(0)})",
                lambda d: f"max({n(d)}, {n(d)})",
                lambda d: f"if({self.flag(d)}, {n(d)}, {n(d)})",
                lambda d: f"count(each x in {self.units()} where {self.write_condition('x', d)})",
                lambda d: f"sum(each x in {self.units()} where {self.write_condition('x', d)}: x.n)",
                lambda _: f"max(each x in {self.units()}: x.m + {n(0)})",
                lambda _: "count(u.orders)",
                lambda _: "max(each i in 1..3 where i != k: i * i)",
            ],
        )

    def number(self, depth: int) -> str:
        w = self.whole
        return self._choose_term(
            depth,
            ["1 / 2", "u.n / 3"],
            [
                lambda d: f"({w(d)} / {self._random.choice(['2', '3', 'u.m', 'k'])})",
                lambda d: f"({self.number(d)} + {w(d)} / 2)",
                lambda d: f"(-({self.number(d)}))",
                lambda d: f"if({self.flag(d)}, {self.number(d)}, {w(d)} / 5)",
            ],
        )

    def word(self, depth: int) -> str:
        return self._choose_term(
            depth,
            ["u.health", "weather", "tired", "down"],
            [
                lambda d: f"along({self.word(d)}, {self.whole(d)})",
                lambda d: f"if({self.flag(d)}, {self.word(d)}, {self.word(d)})",
            ],
        )

    def units(self) -> str:
        return self._random.choice(
            [
                "units",
                "{each y in units where y.flag}",
                "{each y in units where y.owner = u.owner}",
                "{each y in units where y.m > k}",
            ]
        )

    def write_condition(self, name: str, depth: int) -> str:
        return self._random.choice(
            [
                f"{name}.flag",
                f"{name}.n > {self.whole(0)}",
                f"{name}.health < {self.word(0)}",
                f"{name}.friend = u",
                f"{name}.friend != none",
                f"{name} != u and {self.flag(depth - 1)}",
                f"foot in {name}.orders",
            ]
        )

    def flag(self, depth: int) -> str:
        f = self.flag
        leaves = ["u.flag", "hard", "u.friend = none", "horse in u.orders", "u.health = worn", "u.maybe = none"]
        return self._choose_term(
            depth,
            leaves,
            [
                lambda d: f"({f(d)} and {f(d)})",
                lambda d: f"({f(d)} or {f(d)})",
                lambda d: f"not ({f(d)})",
                lambda d: f"({self.whole(d)} {self._random.choice(['<', '<=', '=', '!=', '>', '>='])} {self.whole(d)})",
                lambda d: f"({self.number(d)} {self._random.choice(['<', '<=', '>'])} {self.whole(d)})",
                lambda d: f"({self.word(d)} {self._random.choice(['<', '=', '!=', '>='])} {self.word(d)})",
                lambda d: f"({self.word(d)} {self._random.choice(['in', 'not in'])} {{fresh, worn}})",
                lambda d: f"({self.whole(d)} in 1..{self.whole(0)})",
                lambda d: (
                    f"({self._random.choice(['some', 'no'])} x in {self.units()} where {self.write_condition('x', d)})"
                ),
                lambda d: f"(every x in {self.units()}: {self.write_condition('x', d)})",
                lambda _: "(u.orders = allowed)",
                lambda _: "(every o in u.orders: o in allowed)",
                lambda _: "(some o in u.orders where o not in allowed)",
                lambda _: "(u.friend in units)",
                lambda _: "(u in {u, u} and u.card.title = guns)",
                lambda _: f"({{foot, u.card.title}} {self._random.choice(['=', '!='])} u.orders - allowed)",
            ],
        )


def load_terms(seed: int) -> Program:
    """A program of generated terms; those that do not pass the checker are left out."""
    text = TermWriter(seed).write_rules(24)
    for _ in range(60):
        found = load_text(text)
        if found.program is not None:
            return found.program
        first = next(each for each in found.diagnostics if each.severity is Severity.ERROR)
        text = remove_declaration(text, first.primary.span.start)
    raise AssertionError(text)


def remove_declaration(text: str, at: int) -> str:
    """A text without the declaration that stands at a place."""
    lines = text.splitlines(keepends=True)
    number = text[:at].count("\n")
    while lines[number].startswith(" "):
        number -= 1
    end = number + 1
    while end < len(lines) and lines[end].startswith(" "):
        end += 1
    return "".join(lines[:number] + lines[end:])


def generate_worlds(program: Program, seed: int, number: int) -> Iterator[World]:
    """Situations, some things of them out of play."""
    for at in range(number):
        try:
            state: dict[str, Any] = dict(make_state(program, SizeRanges(), SeededChoices(seed * 1000 + at)))
        except NoValueError:
            continue
        first = next(
            (kind for kind in program.kinds.values() if kind.name != "player" and state.get(kind.plural)), None
        )
        if at % 3 == 0 and first is not None:
            state[REMOVED] = [next(iter(state[first.plural]))]
        read = parse_state(make_unplaced_map(state), program)
        if read.value is not None and not any(each.severity is Severity.ERROR for each in read.diagnostics):
            yield open_world(program, read.value)


def draw_arguments(function: Function, world: World, random: Random) -> list[Any] | None:
    found = [_draw_argument(each.type, world, random) for each in function.parameters]
    return None if ... in found else found


def _draw_argument(type_: ty.Type, world: World, random: Random) -> Any:
    match type_:
        case ty.ThingType(kind):
            here = list(world.list_ids(kind))
            return random.choice(here) if here else ...
        case ty.NumberType(low, high):
            low = -3 if low is None else low
            return random.randint(low, min(high, low + 20) if high is not None else low + 9)
        case ty.FlagType():
            return random.random() < 0.5
        case ty.WordType(values):
            return random.randrange(len(world.program.values[values].words))
        case ty.OptionalType(inner):
            return None if random.random() < 0.3 else _draw_argument(inner, world, random)
        case _:
            return ...


def count_agreements(program: Program, seed: int, number: int) -> Counter[str]:
    """How often judge and formulas came to the same, in so many situations; it fails where they did not."""
    random, seen = Random(seed), Counter[str]()
    for world in generate_worlds(program, seed, number):
        sums = FormulaEvaluator(program, world)
        for function in program.functions.values():
            given = draw_arguments(function, world, random)
            if given is None or isinstance(function.body, Paths):
                continue
            said = compute_with_judge(world, function, given)
            told = sums.compute_outcome(function, given)
            if said is ... or told is ...:
                seen["open"] += 1
                continue
            assert told == said, (function.name, given, told, said)
            assert isinstance(told, bool) == isinstance(said, bool)
            seen["fault" if isinstance(said, str) and said.startswith("RW") else "alike"] += 1
    return seen


@pytest.mark.parametrize("seed", range(choose_count(2, 8)))
def test_generated_terms(seed: int) -> None:
    seen = count_agreements(load_terms(seed), seed, 12)
    assert seen["alike"] > 80, seen
    assert seen["open"] < seen["alike"] / 3, seen


def test_generated_terms_meet_faults() -> None:
    assert (
        sum((count_agreements(load_terms(seed), seed, 6) for seed in range(20, choose_count(21, 24))), Counter())[
            "fault"
        ]
        > 1
    )


@pytest.mark.parametrize(
    ("ruleset", "least"),
    [("mel", 1), ("melee-phase", 1), ("tricorne-melee", 1), ("legion-melee", 1), ("necromunda-close-combat", 1)],
)
def test_functions_of_shipped_rulesets(ruleset: str, least: int) -> None:
    seen = count_agreements(load(ruleset).program, 7, 6)
    print(ruleset, seen)
    assert seen["alike"] >= least, seen
