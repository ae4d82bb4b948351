"""Dice, draws and what is rolled again."""

from collections.abc import Generator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rulewright.program import statements as st
from rulewright.program.expressions import Expression
from rulewright.program.types import DeckType
from rulewright.runtime.values import GameMap, order_key
from support.reference import assigned_places
from support.reference.assigned_places import get_place_type
from support.reference.evaluation import evaluate
from support.reference.judge_requests import JudgeRequest
from support.reference.operators import make_collection
from support.reference.world import Die, Env, JudgedFault

if TYPE_CHECKING:
    from support.reference.judge import Judge

Run = Generator[JudgeRequest, Any, Any]


def list_faces(judge: "Judge", env: Env, die: st.Die) -> tuple[Any, ...]:
    """The faces of a die."""
    if isinstance(die, st.ComputedDie):
        return tuple(range(1, evaluate(judge.world, env, die.faces) + 1))
    if isinstance(die, st.PairedDie):
        return tuple(int(f"{tens}{units}") for tens in range(1, 7) for units in range(1, 7))
    if isinstance(die, st.NumberedDie):
        return tuple(range(1, die.faces + 1))
    return tuple(evaluate(judge.world, {}, each) for each in judge.program.dice[die.name].faces)


def find_thrower(judge: "Judge", env: Env, by: Expression | None) -> Run:
    """Who rolls."""
    return None if by is None else (yield from judge.evaluate_expression(env, by))


Options = list[tuple[st.RollOption, Any, Any]]
"""Options with their values and bounds."""


def evaluate_options(
    judge: "Judge", env: Env, options: tuple[st.RollOption, ...]
) -> Generator[JudgeRequest, Any, Options]:
    """Options as they stand before the dice are rolled."""
    found: Options = []
    for each in options:
        value = yield from judge.evaluate_expression(env, each.value)
        bound = None if each.bound is None else (yield from judge.evaluate_expression(env, each.bound))
        found.append((each, value, bound))
    return found


def roll_dice(judge: "Judge", env: Env, line: st.Roll) -> Run:
    """All that the line says, then first faces of all parts in order; then keep and drop, by part and of the whole."""
    thrown: list[tuple[st.Dice, tuple[Any, ...]]] = []
    better: dict[int, tuple[int, int]] = {}
    called, options = [], []
    for part in line.parts:
        count = 1 if part.count is None else max(0, (yield from judge.evaluate_expression(env, part.count)))
        if part.advantage is not None:
            net = yield from judge.evaluate_expression(env, part.advantage)
            better[id(part)] = count, net
            count += abs(net) if count else 0
        thrown += [(part, list_faces(judge, env, part.die))] * count
        called.append(None if part.part is None else (yield from judge.evaluate_expression(env, part.part)))
        options.append((yield from evaluate_options(judge, env, part.options)))
    options.append((yield from evaluate_options(judge, env, line.options)))
    who = yield from find_thrower(judge, env, line.by)
    answers: tuple[Any, ...] = ()
    if thrown:
        answers = yield JudgeRequest("roll", line.address, who, faces=tuple(faces for _, faces in thrown))
    dice = [
        Die(faces, face, face, _get_die_name(part.die)) for (part, faces), face in zip(thrown, answers, strict=True)
    ]
    groups = [[die for die, (owner, _) in zip(dice, thrown, strict=True) if owner is part] for part in line.parts]
    for name, part, group in zip(called, line.parts, groups, strict=True):
        for die in group:
            die.part = name
        count, net = better.get(id(part), (0, 0))
        worst_first = sorted(group, key=lambda die: order_key(die.first))
        for die in worst_first[count:] if net < 0 else _remove_best_dice(group, count) if net > 0 else ():
            die.kept = False
    groups.append(list(dice))
    for found, group in zip(options, groups, strict=True):
        for option in found:
            keep_or_drop_dice(option, group)
    for found, group in zip(options, groups, strict=True):
        for option in found:
            dice += yield from explode_dice(option, group, JudgeRequest("roll", line.address, who))
    judge.world.rolls.append(dice)
    number = len(judge.world.rolls) - 1
    single = len(line.parts) == 1 and line.parts[0].count is None
    chosen = next((at for at, die in enumerate(dice) if die.kept), 0)
    env[line.variable.index] = (number, chosen) if single else number


def _remove_best_dice(dice: list[Die], count: int) -> list[Die]:
    """All but the highest so many, of equal ones the earlier being better."""
    found = list(dice)
    for _ in range(count):
        found.remove(max(found, key=lambda die: order_key(die.first)))
    return found


def keep_or_drop_dice(given: tuple[st.RollOption, Any, Any], dice: list[Die]) -> None:
    """`keep` or `drop`; equal faces keep the earlier die."""
    option, value, _ = given
    if option.word not in {"keep", "drop"}:
        return
    standing = [die for die in dice if die.kept]
    if option.word == "drop":
        standing.reverse()
    ranked = sorted(standing, key=lambda die: order_key(die.first), reverse=option.best == "highest")
    chosen = {id(die) for die in ranked[:value]}
    dropped = chosen if option.word == "drop" else {id(die) for die in standing} - chosen
    for die in dice:
        die.kept = die.kept and id(die) not in dropped


def explode_dice(
    given: tuple[st.RollOption, Any, Any], dice: list[Die], asked: JudgeRequest
) -> Generator[JudgeRequest, Any, list[Die]]:
    """Kept dice that show the face bring more dice, one after another, each to its end."""
    option, wanted, most = given
    more: list[Die] = []
    for die in [each for each in dice if each.kept and option.word == "explode"]:
        face, rounds = die.first, 0
        while (face >= wanted if option.best == "more" else face == wanted) and (most is None or rounds < most):
            (face,) = yield replace(asked, faces=(die.faces,))
            rounds += 1
            more.append(Die(die.faces, face, face, die.name, part=die.part))
    return more


def reroll_dice(judge: "Judge", env: Env, line: st.Reroll) -> Run:
    """Dice again, in place, in their order."""
    value = yield from judge.evaluate_expression(env, line.dice)
    match value:
        case int():
            dice = list(judge.world.rolls[value])
        case (int(roll), int(place)):
            dice = [judge.world.rolls[roll][place]]
        case _:
            dice = [judge.world.rolls[roll][place] for roll, place in value]
    who = yield from find_thrower(judge, env, line.by)
    if not dice:
        return
    answers = yield JudgeRequest("roll", line.address, who, faces=tuple(die.faces for die in dice))
    for die, face in zip(dice, answers, strict=True):
        die.face = face
        die.rerolls += 1


def draw_member(judge: "Judge", env: Env, line: st.Draw) -> Run:
    """A random member, the top of a deck, or the key of an entry of a map; one member is no chance."""
    place = yield from assigned_places.find_place(judge, env, line.place)
    before = place.get()
    held_ = list(before)
    if not held_:
        if line.otherwise is None:
            raise JudgedFault("RW0808")
        yield from judge.play_lines(env, line.otherwise)
        return
    type_ = get_place_type(line.place)
    drawn = held_[0]
    who = yield from find_thrower(judge, env, line.learner)
    if len(set(held_)) > 1 and not isinstance(type_, DeckType):
        drawn = yield JudgeRequest("draw", line.address, who, items=tuple(held_))
    env[line.variable.index] = drawn
    if isinstance(before, GameMap):
        rest: Any = GameMap.from_pairs(before.default, [(key, before[key]) for key in before if key != drawn])
    else:
        held_.remove(drawn)
        rest = make_collection(type_, held_)
    yield from judge.apply_change(lambda: place.put(rest))


def _get_die_name(die: st.Die) -> str:
    return die.name if isinstance(die, st.NamedDie) else ""
