"""What a core program asks: legal answers, worked out one by one, and dice as they fall."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, islice, permutations
from typing import TYPE_CHECKING, Any, assert_never

from rulewright.program import statements as st
from rulewright.program.core import forms
from rulewright.runtime.values import GameMap, order_key, sort_values
from support.core_operations import is_within_edges
from support.core_store import bind_names
from support.reference import pose_samples
from support.reference.judge_requests import JudgeRequest
from support.reference.world import Die, JudgedFault, World, remember_calls

if TYPE_CHECKING:
    from support.core_interpreter import CoreInterpreter, Env


# Questions.


def make_request(play: "CoreInterpreter", env: "Env", ask: forms.Ask, player: Any) -> JudgeRequest:
    """What is asked; `legal` has every legal answer, or none where they cannot be listed."""
    address = getattr(ask.origin, "address", "")
    if isinstance(ask.space, forms.Poses | forms.Headings):
        return _make_unlisted_request(play, env, ask, ask.space, JudgeRequest("place", address, player))
    candidates, items = _list_candidates(play, env, ask.space)
    is_turn = isinstance(getattr(ask.origin, "shape", None), st.TurnHow)
    legal = tuple(_keep_legal(play, env, ask, candidates))
    return JudgeRequest("turn" if is_turn else _name_sort(ask.space), address, player, legal, () if is_turn else items)


def ask_request(request: JudgeRequest, *, in_window: bool) -> Generator[JudgeRequest, Any, Any]:
    """Stops for an answer; in a window handlers are told by their places."""
    if in_window and request.sort == "order":
        return (yield replace(request, sort="handlers", legal=None))
    if in_window and request.sort == "one":
        assert request.legal is not None
        numbers = tuple(None if each is None else number for number, each in enumerate(request.legal))
        number = yield replace(request, sort="taker", legal=numbers, items=())
        return None if number is None else request.legal[number]
    return (yield replace(request, sort="handler") if in_window else request)


def _name_sort(space: forms.AnswerSpace) -> str:
    match space:
        case forms.Listed(choices=choices):
            return "whether" if isinstance(choices[0].value.value, bool) else "choose"
        case forms.Members():
            return "one"
        case forms.Subsets():
            return "pick"
        case forms.Splits():
            return "split"
        case forms.Orders():
            return "order"
        case forms.Poses():
            return "place"
        case forms.Headings():
            return "heading"
        case _:
            assert_never(space)


def _list_candidates(
    play: "CoreInterpreter",
    env: "Env",
    space: forms.Listed | forms.Members | forms.Subsets | forms.Splits | forms.Orders,
) -> tuple[list[Any], tuple[Any, ...]]:
    """All answers of a space in order, and what they are made of."""
    match space:
        case forms.Listed(choices=choices):
            offered = [each for each in choices if each.guard is None or play.evaluate(env, each.guard)]
            return [each.value.value for each in offered], ()
        case forms.Members():
            members = _list_members(play, env, space)
            return members, tuple(members)
        case forms.Subsets(low=low, high=high):
            sizes = range(max(0, play.evaluate(env, low)), play.evaluate(env, high) + 1)
            members = _list_members(play, env, space)
            chosen = sorted(each for size in sizes for each in combinations(range(len(members)), size))
            return [sort_values([members[at] for at in each]) for each in chosen], tuple(members)
        case forms.Splits(amount=amount, over=over):
            shares, places = play.evaluate(env, amount), play.evaluate(env, over)
            splits = (zip(places, each, strict=True) for each in _list_splits(shares, len(places)))
            return [GameMap.from_pairs(0, each) for each in splits], places
        case forms.Orders(items=items):
            ordered = play.evaluate(env, items)
            return list(dict.fromkeys(permutations(ordered))), ordered
        case _:
            assert_never(space)


def _list_members(play: "CoreInterpreter", env: "Env", space: forms.Members | forms.Subsets) -> list[Any]:
    found = play.list_members(env, space.names, space.source, space.where)
    return list(dict.fromkeys(member for member, _ in found))


def _list_splits(amount: int, places: int) -> Iterator[tuple[int, ...]]:
    if places == 0 and amount == 0:
        yield ()
    for first in range(amount + 1) if places else ():
        for others in _list_splits(amount - first, places - 1):
            yield (first, *others)


def _keep_legal(play: "CoreInterpreter", env: "Env", ask: forms.Ask, candidates: list[Any]) -> list[Any]:
    """The answers that all conditions leave; then what is to be preferred, if it leaves any."""
    found = [each for each in candidates if _is_allowed(play, env, ask, each)]
    for condition in ask.conditions:
        if condition.prefer:
            found = [each for each in found if _holds(play, env, ask, condition, each)] or found
    return found


def _is_allowed(play: "CoreInterpreter", env: "Env", ask: forms.Ask, answer: Any) -> bool:
    return all(each.prefer or _holds(play, env, ask, each, answer) for each in ask.conditions)


def _holds(play: "CoreInterpreter", env: "Env", ask: forms.Ask, condition: forms.Condition, answer: Any) -> bool:
    named = bind_names(ask.space.names, answer) if isinstance(ask.space, forms.Members) else {}
    return bool(play.evaluate({**env, **named, ask.result.index: answer}, condition.test))


def _make_unlisted_request(
    play: "CoreInterpreter", env: "Env", ask: forms.Ask, space: forms.Poses | forms.Headings, asked: JudgeRequest
) -> JudgeRequest:
    """The stop where a thing is put or turned on the plane: samples of answers, and a judge of any."""
    thing, called = play.evaluate(env, space.thing), dict[Any, Any]()
    is_pose = isinstance(space, forms.Poses)

    def allows(answer: Any) -> bool:
        with remember_calls(play.world, called):
            on_board = not is_pose or is_within_edges(play.world, answer[1])
            return on_board and _is_allowed(play, env, ask, answer)

    def list_samples() -> Iterator[Any]:
        if is_pose:
            return pose_samples.list_pose_samples(play.world, thing)
        return (Fraction(each, 100) for each in range(0, 36000, 25))

    claimable = any(not each.prefer for each in ask.conditions)
    return replace(asked, sort=_name_sort(space), tried=list_samples, allows=allows, claimable=claimable)


# Dice.


@dataclass(frozen=True)
class Heap:
    """Equal dice of a roll, described, for a member of a rank by its position."""

    member: int
    count: int
    faces: tuple[Any, ...]
    model: str
    options: tuple[tuple[forms.RollOptionOf, int, int | None], ...]  # each with its number and its bound
    called: Any
    advantage: int

    @property
    def number_thrown(self) -> int:
        return self.count + (abs(self.advantage) if self.count else 0)


@dataclass(frozen=True)
class RollDescription:
    """All that is known of a roll before it falls."""

    heaps: tuple[Heap, ...]
    options: tuple[tuple[forms.RollOptionOf, int, int | None], ...]
    is_single: bool
    member_count: int | None  # of the members of a rank, or none


def describe_roll(play: "CoreInterpreter", env: "Env", roll: forms.RollOf) -> RollDescription:
    """A roll with all its numbers."""

    def describe_options(inner: "Env", options: tuple[forms.RollOptionOf, ...]) -> tuple[Any, ...]:
        return tuple(
            (each, play.evaluate(inner, each.value), play.evaluate_optional(inner, each.bound)) for each in options
        )

    insides = [env]
    if roll.members is not None:
        insides = [inner for _, inner in play.list_members(env, roll.names, roll.members, None)]
    heaps = tuple(
        Heap(
            member=position,
            count=1 if dice.count is None else max(0, play.evaluate(inner, dice.count)),
            faces=play.evaluate(inner, dice.faces),
            model=dice.model,
            options=describe_options(inner, dice.options),
            called=play.evaluate_optional(inner, dice.called),
            advantage=play.evaluate_optional(inner, dice.advantage) or 0,
        )
        for position, inner in enumerate(insides)
        for dice in roll.dice
    )
    is_single = len(roll.dice) == 1 and roll.dice[0].count is None
    return RollDescription(
        heaps, describe_options(env, roll.options), is_single, None if roll.members is None else len(insides)
    )


def roll_dice(world: World, roll: RollDescription, asked: JudgeRequest) -> Generator[JudgeRequest, Any, Any]:
    """First faces of all dice; then advantages, what is kept and dropped; then explosions, each to its end."""
    faces = tuple(heap.faces for heap in roll.heaps for _ in range(heap.number_thrown))
    if roll.member_count is not None and all(len(each) == 1 for each in faces):
        raise JudgedFault("RW0836")
    fallen = iter((yield replace(asked, faces=faces)) if faces else ())
    groups = [
        [Die(heap.faces, face, face, heap.model, part=heap.called) for face in islice(fallen, heap.number_thrown)]
        for heap in roll.heaps
    ]
    dice = [die for group in groups for die in group]
    for heap, group in zip(roll.heaps, groups, strict=True):
        _drop(group, abs(heap.advantage), "lowest" if heap.advantage > 0 else "highest")
    optional = [*zip([heap.options for heap in roll.heaps], groups, strict=True), (roll.options, dice[:])]
    for options, group in optional:
        for option, number, _ in options:
            kept = sum(die.kept for die in group)
            if option.word == "keep":
                _drop(group, kept - number, "lowest" if option.best == "highest" else "highest")
            elif option.word == "drop":
                _drop(group, number, option.best)
    for options, group in optional:
        standing = group[:]
        for option, number, bound in options:
            if option.word == "explode":
                brought = yield from _explode(standing, option, number, bound, asked)
                dice.extend(brought)
                group.extend(brought)
    if roll.member_count is not None:
        shown = [
            (heap.member, die.face) for heap, group in zip(roll.heaps, groups, strict=True) for die in group if die.kept
        ]
        return tuple(sum(face for each, face in shown if each == member) for member in range(roll.member_count))
    world.rolls.append(dice)
    pool = len(world.rolls) - 1
    return (pool, next((at for at, die in enumerate(dice) if die.kept), 0)) if roll.is_single else pool


def _drop(dice: list[Die], number: int, worst: str) -> None:
    """Drops so many of the dice that are kept, of equal faces the later."""
    kept = [die for die in reversed(dice) if die.kept]
    for die in sorted(kept, key=lambda die: order_key(die.first), reverse=worst == "highest")[: max(0, number)]:
        die.kept = False


def _explode(
    dice: list[Die], option: forms.RollOptionOf, number: Any, bound: int | None, asked: JudgeRequest
) -> Generator[JudgeRequest, Any, list[Die]]:
    """Dice that kept ones bring which show the face, or more where that is so written, one after another."""
    brought: list[Die] = []
    for die in [each for each in dice if each.kept]:
        face, rounds = die.first, 0
        while (face >= number if option.best == "more" else face == number) and (bound is None or rounds < bound):
            (face,) = yield replace(asked, faces=(die.faces,))
            rounds += 1
            brought.append(Die(die.faces, face, face, die.name, part=die.part))
    return brought


def reroll_dice(world: World, value: Any, asked: JudgeRequest) -> Generator[JudgeRequest, Any, None]:
    """New faces for dice where they lie."""
    dice = _list_dice(world, value)
    if dice:
        faces = yield replace(asked, faces=tuple(die.faces for die in dice))
        for die, face in zip(dice, faces, strict=True):
            die.face = face
            die.rerolls += 1


def _list_dice(world: World, value: Any) -> list[Die]:
    """The dice of a pool, a die, or some dice."""
    match value:
        case int():
            return list(world.rolls[value])
        case (int(roll), int(at)):
            return [world.rolls[roll][at]]
        case _:
            return [world.rolls[roll][at] for roll, at in value]
