"""Lines that are no questions."""

from rulewright.syntax.builder.expressions import arguments, binder, expression
from rulewright.syntax.builder.parts import Build, Parts, Whole, block, build_type, dotted
from rulewright.syntax.builder.rows import decide_row, dice, rank_row, roll_options, tally_row
from rulewright.syntax.nodes.names import Name
from rulewright.syntax.nodes.statements import (
    Branch,
    Case,
    Change,
    DecideLine,
    Draw,
    Finish,
    ForEach,
    If,
    Let,
    Match,
    Move,
    Nothing,
    Perform,
    Place,
    Proceed,
    Rank,
    Remove,
    Repeat,
    Reroll,
    Reveal,
    Roll,
    RulingLine,
    Set,
    Shuffle,
    Statement,
    Stop,
    TallyLine,
    Together,
    Trigger,
    Turn,
)


def _let(parts: Parts, whole: Whole) -> Statement:
    return Let(
        name=parts.name(),
        type=parts.maybe(build_type),
        value=parts.maybe(expression),
        title=parts.title(),
        cites=parts.cites,
        **whole,
    )


def _set(parts: Parts, whole: Whole) -> Statement:
    return Set(place=parts.one(expression), value=parts.one(expression), cites=parts.cites, **whole)


def _change(word: str) -> Build:
    def build(parts: Parts, whole: Whole) -> Statement:
        return Change(
            word=word,
            up_to=bool(parts.word()),
            amount=parts.one(expression),
            place=parts.one(expression),
            otherwise=parts.maybe(block),
            cites=parts.cites,
            **whole,
        )

    return build


def _move(parts: Parts, whole: Whole) -> Statement:
    return Move(thing=parts.one(expression), destination=parts.one(expression), cites=parts.cites, **whole)


def _turn(*, face: bool) -> Build:
    def build(parts: Parts, whole: Whole) -> Statement:
        return Turn(thing=parts.one(expression), heading=parts.one(expression), face=face, cites=parts.cites, **whole)

    return build


def _place(parts: Parts, whole: Whole) -> Statement:
    return Place(thing=parts.one(expression), spot=parts.one(expression), cites=parts.cites, **whole)


def _remove(parts: Parts, whole: Whole) -> Statement:
    return Remove(thing=parts.one(expression), cites=parts.cites, **whole)


def _branch(parts: Parts) -> Branch:
    condition, below = parts.one(expression), parts.one(block)
    return Branch(condition, below, parts.span, below.cites)


def _if(parts: Parts, whole: Whole) -> Statement:
    condition, below = parts.one(expression), parts.one(block)
    first = Branch(condition, below, whole["head"].to(below.span), below.cites)
    others = parts.many(_branch, "else_if")
    return If(branches=(first, *others), otherwise=parts.maybe(block), cites=below.cites, **whole)


def _match(parts: Parts, whole: Whole) -> Statement:
    return Match(subject=parts.one(expression), cases=parts.many(_case), cites=parts.cites, **whole)


def _case(parts: Parts) -> Case:
    values = []
    while not parts.follows("block"):
        values.append(parts.one(expression))
    below = parts.one(block)
    return Case(tuple(values), below, parts.span, below.cites)


def _for_each(parts: Parts, whole: Whole) -> Statement:
    found, below = parts.one(binder), parts.one(block)
    return ForEach(binder=found, block=below, cites=below.cites, **whole)


def _repeat(parts: Parts, whole: Whole) -> Statement:
    condition, bound, below = parts.one(expression), parts.one(expression), parts.one(block)
    return Repeat(condition=condition, bound=bound, block=below, cites=below.cites, **whole)


def _together(parts: Parts, whole: Whole) -> Statement:
    below = parts.one(block)
    return Together(block=below, cites=below.cites, **whole)


def _nothing(parts: Parts, whole: Whole) -> Statement:
    return Nothing(cites=parts.cites, **whole)


def _stop(parts: Parts, whole: Whole) -> Statement:
    return Stop(cites=parts.cites, **whole)


def _proceed(parts: Parts, whole: Whole) -> Statement:
    return Proceed(step=parts.name(), bound=parts.maybe(expression), cites=parts.cites, **whole)


def _finish(parts: Parts, whole: Whole) -> Statement:
    return Finish(procedure=parts.maybe_name(), value=parts.maybe(expression), cites=parts.cites, **whole)


def _perform(parts: Parts, whole: Whole) -> Statement:
    return Perform(
        procedure=parts.one(dotted),
        arguments=parts.one(arguments),
        steps=parts.maybe(_steps),
        depth=parts.maybe(expression),
        result=parts.maybe_name(),
        cites=parts.cites,
        **whole,
    )


def _steps(parts: Parts) -> tuple[Name, Name]:
    return parts.name(), parts.name()


def _trigger(parts: Parts, whole: Whole) -> Statement:
    return Trigger(
        event=parts.one(dotted),
        arguments=parts.one(arguments),
        result=parts.maybe_name(),
        cites=parts.cites,
        **whole,
    )


def _tally(parts: Parts, whole: Whole) -> Statement:
    return TallyLine(
        name=parts.name(),
        start=parts.one(expression),
        title=parts.title(),
        rows=parts.many(tally_row),
        cites=parts.cites,
        **whole,
    )


def _decide(parts: Parts, whole: Whole) -> Statement:
    return DecideLine(name=parts.name(), title=parts.title(), rows=parts.many(decide_row), cites=parts.cites, **whole)


def _rank(parts: Parts, whole: Whole) -> Statement:
    return Rank(binder=parts.one(binder), name=parts.name(), keys=parts.many(rank_row), cites=parts.cites, **whole)


def _roll(parts: Parts, whole: Whole) -> Statement:
    return Roll(
        dice=parts.one(dice),
        options=parts.one(roll_options),
        name=parts.name(),
        by=parts.maybe(expression),
        cites=parts.cites,
        **whole,
    )


def _reroll(parts: Parts, whole: Whole) -> Statement:
    return Reroll(dice=parts.one(expression), by=parts.maybe(expression), cites=parts.cites, **whole)


def _draw(parts: Parts, whole: Whole) -> Statement:
    return Draw(
        source=parts.one(expression),
        name=parts.name(),
        otherwise=parts.maybe(block),
        cites=parts.cites,
        **whole,
    )


def _shuffle(parts: Parts, whole: Whole) -> Statement:
    return Shuffle(deck=parts.one(expression), cites=parts.cites, **whole)


def _reveal(parts: Parts, whole: Whole) -> Statement:
    return Reveal(name=parts.name(), cites=parts.cites, **whole)


def _ruling(parts: Parts, whole: Whole) -> Statement:
    return RulingLine(finding=parts.name(), title=parts.title(), cites=parts.cites, **whole)


VERBS: dict[str, Build] = {
    "let": _let,
    "set": _set,
    "add": _change("add"),
    "take": _change("take"),
    "move": _move,
    "turn": _turn(face=False),
    "turn_to_face": _turn(face=True),
    "place_at": _place,
    "remove": _remove,
    "if_line": _if,
    "match": _match,
    "for_each": _for_each,
    "repeat": _repeat,
    "together": _together,
    "nothing": _nothing,
    "stop": _stop,
    "proceed": _proceed,
    "perform": _perform,
    "finish": _finish,
    "trigger": _trigger,
    "tally_line": _tally,
    "decide_line": _decide,
    "rank": _rank,
    "roll": _roll,
    "reroll": _reroll,
    "draw": _draw,
    "shuffle": _shuffle,
    "reveal": _reveal,
    "ruling_line": _ruling,
}
