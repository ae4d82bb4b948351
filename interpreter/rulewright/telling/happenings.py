"""What happened in words: dice, tallies, choices of a row, changes of the game; why something cannot be."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from rulewright.codecs.codec import Named
from rulewright.codecs.table import show, to_json
from rulewright.diagnostics.terminal import visible
from rulewright.machine.request import PREFERRED, Reason
from rulewright.machine.trace import Change, DieThrown, Entry, Judged
from rulewright.machine.values import Hidden, Map, Value
from rulewright.program import statements as st, types as ty
from rulewright.program.declarations import Function, Table
from rulewright.program.expressions import Variable, WordLiteral
from rulewright.telling.conditions import Told, attribute_called, listed, of_dice, singular, spoken, verb
from rulewright.telling.values import in_game, player, show_change, show_place

_SIGNS = {"plus": "+", "times": "×"}  # noqa: RUF001 - a product


# Dice.


def dice(thrown: Sequence[DieThrown], names: Named) -> str:
    """Dice as they lie: `6! 4` where one exploded, `(2)` where one does not count, `3→5` rolled again."""
    return " ".join(shown for _, shown in _lying(thrown, names))


def _lying(thrown: Sequence[DieThrown], names: Named) -> Iterator[tuple[DieThrown, str]]:
    """Each die and how it is told, those that an explosion brought after it."""
    sources = {each.origin for each in thrown}
    order = [at for at, each in enumerate(thrown) if each.origin is None]
    for at, each in enumerate(thrown):
        if each.origin is not None:
            order.insert(order.index(each.origin) + 1, at)
    yield from ((thrown[at], _die(thrown[at], at in sources, names)) for at in order)


def _by_part(thrown: Sequence[DieThrown], part: ty.Type | None, names: Named) -> str:
    """Dice as they lie, each part after what it is called: `rolf 2 5 3, sven 5 1`."""
    if not is_said(part):
        return dice(thrown, names)
    found = []
    for called, together in groupby(_lying(thrown, names), key=lambda each: each[0].part):
        shown = " ".join(shown for _, shown in together)
        found.append(shown if called is None or part is None else f"{show(called, part, names)} {shown}")
    return ", ".join(found)


def is_said(part: ty.Type | None) -> bool:
    """Whether dice are told by what their part of a roll is called: a word or a thing."""
    return part is not None and isinstance(ty.present(part), ty.WordType | ty.ThingType)


def _die(die: DieThrown, exploded: bool, names: Named) -> str:  # noqa: FBT001
    type_ = face_type(die.die, names)
    face = show(die.face, type_, names)
    again = "" if die.before is None else f"{show(die.before, type_, names)}→"
    shown = f"{again}{face}{'!' if exploded else ''}"
    return shown if die.kept else f"({shown})"


def face_type(die: str, names: Named) -> ty.Type:
    """The type of the faces of a die, by its name."""
    declared = names.program.dice.get(die)
    return declared.face_type if declared else ty.WHOLE


def notation(sorts: Iterable[tuple[int, str]]) -> str:
    """What is thrown as people write it: `2d6`, `2d6 + 1d8`, `3 white_guard`."""
    found: dict[str, int] = {}
    for count, die in sorts:
        found[die] = found.get(die, 0) + count
    return " + ".join(_dice(count, die) for die, count in found.items())


def _dice(count: int, die: str) -> str:
    """Dice of one sort; two read as one number stand without a count where there is one pair."""
    if count == 1 and die == st.die_name(ty.PAIRED_FACES, ""):
        return die
    return f"{count}{'' if die[:1] == 'd' and die[1:].isdigit() else ' '}{visible(die)}"


def rolled(entry: Entry, names: Named) -> str:
    """A roll: `strike 2d6: 2 4`; what is rolled again says so."""
    name = spoken(getattr(getattr(entry.node, "variable", None), "name", "") or last(entry.address))
    if isinstance(entry.node, st.Reroll):
        return f"rolls again: {dice(entry.dice, names)}" if entry.dice else "rolls no dice again"
    if isinstance(entry.node, st.Shuffle):
        return f"{name.removeprefix('shuffle.')}: nothing to shuffle"
    thrown = [each for each in entry.dice if each.origin is None]
    part = getattr(entry.type, "part", None)
    return (
        f"{name} {notation((1, each.die) for each in thrown)}: {_by_part(entry.dice, part, names)}"
        if thrown
        else f"{name}: no dice"
    )


def drawn(entry: Entry, names: Named) -> str:
    """A draw: `draws card from the discards: Halt`; where nothing was left, that."""
    if entry.type is None:
        card = "nothing is left"
    else:
        card = "(a secret)" if isinstance(entry.result, Hidden) else value_of(entry, names)
    who = player(entry.player, names)
    does = "draws" if entry.player is None else f"{who} {verb(who, 'draws', 'draw', names)}"
    return f"{does} {spoken(entry.title)} from {_drawn_from(entry.node.place, Told(entry, names))}: {card}"


def _drawn_from(place: st.Place, told: Told) -> str:
    """Where a line draws from, as changes call it: `orders`, `anvil.hand`, `hands[red]`."""
    match place:
        case st.GamePlace(name=name) | st.VariablePlace(variable=Variable(name=name)):
            return visible(name)
        case st.AttributePlace(target=target, name=name):
            return f"{told.shown(target).strip('`')}.{visible(name)}"
        case st.EntryPlace(target=outer, key=key):
            return f"{_drawn_from(outer, told)}[{told.shown(key).strip('`')}]"
        case _:
            return visible(told.place(place))


# Values and how they came about.


def value_of(entry: Entry, names: Named) -> str:
    """What an entry came to."""
    if entry.dice and entry.sort not in {"count", "answer"}:
        return dice(entry.dice, names)
    if entry.type is None:
        match entry.result:
            case None:
                return ""
            case bool(flag):
                return "yes" if flag else "no"
            case other:
                return visible(str(other))
    return show(entry.result, entry.type, names)


def tally(entry: Entry, names: Named) -> str:
    """`5 = 4 +1 (the target's shield)`; the number alone where nothing changed it."""
    steps = [_row(each, names) for each in entry.rows if each.outcome == "applied"]
    result = value_of(entry, names)
    if not steps or entry.start is None or entry.type is None:
        return result
    return f"{result} = {show(entry.start, entry.type, names)} {' '.join(steps)}"


def _row(row: Judged, names: Named) -> str:
    """A row of a tally: its sign, its amount and why."""
    why = visible(row.title) or spoken(row.id)
    amount = show(row.value, ty.WHOLE, names) if isinstance(row.value, int) else visible(str(row.value))
    if row.change == "plus":
        return f"{'' if amount.startswith('-') else '+'}{amount} ({why})"
    return f"{_SIGNS[row.change]}{amount} ({why})" if row.change in _SIGNS else f"{row.change} {amount} ({why})"


def chosen(entry: Entry, names: Named) -> str:
    """The row that a decide or table took, in the author's words; one that is called by its cells by their words."""
    row = next((each for each in entry.rows if each.outcome == "taken"), None)
    if row is None:
        return ""
    return visible(row.title) or row_called(row.address, row.id, entry.node, names)


def row_called(address: str, row: str, function: Any, names: Named) -> str:  # any node
    """The id of a row of a decide or table, with what the words in its cells are called."""
    words = _called_cells(address, function, names)
    return "/".join(words.get(part) or spoken(part) for part in row.split("/"))


def _called_cells(row: str, function: Any, names: Named) -> dict[str, str]:  # any node
    """What the words in the cells of a row of a table are called, by name."""
    match function:
        case Function(body=Table(rows=rows)):
            cells = (each.value for of in rows if of.address == row for each in of.cells)
            words = ((each.position, each.type) for each in cells if isinstance(each, WordLiteral))
            return {str(to_json(at, type_, names)): show(at, type_, names) for at, type_ in words}
        case _:
            return {}


def explained(entry: Entry, names: Named) -> str:
    """A tally, decide, table or count with what it came from; nothing where there is nothing to explain."""
    title = visible(entry.title) or spoken(last(entry.address))
    match entry.sort:
        case "tally" if any(each.outcome == "applied" for each in entry.rows):
            return f"{title}: {tally(entry, names)}"
        case "decide" | "table" if why := chosen(entry, names):
            value = value_of(entry, names)
            same = {value, spoken(value), spoken(str(to_json(entry.result, entry.type, names))) if entry.type else ""}
            return f"{title}: {value}" if why in same else f"{title}: {value} ({why})"
        case "count" if of_dice(entry):
            return f"{Told(entry, names).counted()}{f' ({which})' if (which := dice(entry.dice, names)) else ''}"
        case _:
            return ""


# Changes.


def changed(change: Change, entry: Entry, names: Named) -> str:  # noqa: PLR0911 - one for each sort
    """A change of the game in a sentence: `hammer loses 1 Morale Token: 2 → 1`; empty where nothing became other."""
    if not in_game(change):
        return ""
    owner, _, name = change.place.rpartition("/")
    before, after = change.before, change.after
    whose = names.thing(owner, change.key) if owner in names.program.kinds and isinstance(change.key, int) else ""
    shown = f"{show(before, change.type, names)} → {show(after, change.type, names)}"
    match entry.node:
        case st.AddAmount(place=st.EntryPlace(key=key)) | st.Assign(place=st.EntryPlace(key=key)) if (
            whose or change.parts
        ):
            place = show_place(change if whose else replace(change, key=None), names)
            return f"{place}[{Told(entry, names).shown(key).strip('`')}]: {shown}"
        case st.AddAmount() if whose and not change.parts and isinstance(before, int) and isinstance(after, int):
            does = verb(whose, "gains", "gain", names) if after > before else verb(whose, "loses", "lose", names)
            amount = abs(after - before)
            called = attribute_called(owner, name, names.program)
            called = visible(singular(called) if amount == 1 else called)
            return f"{visible(whose)} {does} {amount} {called}: {shown}"
        case st.Move() | st.PlaceThing() if whose and name == "at":
            does = (
                verb(whose, "is placed", "are placed", names) if before is None else verb(whose, "moves", "move", names)
            )
            return f"{visible(whose)} {does}: {shown}"
        case st.Turn() if whose:
            return f"{visible(whose)} {verb(whose, 'turns', 'turn', names)}: facing {shown}"
        case _ if isinstance(change.type, ty.SetType | ty.ListType | ty.BagType) and isinstance(before, tuple):
            return _members(change, names)
        case _:
            return show_change(change, names)


def all_changed(change: Change, names: Named) -> Iterator[str]:
    """What a whole play made of something: the entries of a map, or the members of a collection, that became others."""
    before, after = change.before, change.after
    match change.type:
        case ty.MapType(key, value) if isinstance(before, Map) and isinstance(after, Map):
            place = show_change(change, names).partition(": ")[0]
            keys = [each for each in dict.fromkeys((*before, *after)) if before[each] != after[each]]
            for each in keys:
                values = f"{show(before[each], value, names)} → {show(after[each], value, names)}"
                yield f"{place}[{show(each, key, names)}]: {values}"
        case ty.SetType() | ty.BagType() if isinstance(before, tuple) and before and after:
            yield _members(change, names)
        case _:
            yield show_change(change, names)


def _members(change: Change, names: Named) -> str:
    """A collection with what came to it or left it, where only one of the two happened."""
    before, after = change.before, change.after
    assert isinstance(before, tuple)
    assert isinstance(after, tuple)
    item = change.type.item  # type: ignore[union-attr]
    place = show_change(change, names).partition(": ")[0]
    if isinstance(change.type, ty.ListType) and len(after) > len(before) > 0 and after[: len(before)] == before:
        return f"{place}: with {listed([show(each, item, names) for each in after[len(before) :]])} at the end"
    more = [show(each, item, names) for each in after if each not in before]
    less = [show(each, item, names) for each in before if each not in after]
    if more and not less and len(after) == len(before) + len(more):
        return f"{place}: with {listed(more)}"
    if less and not more and len(before) == len(after) + len(less):
        return f"{place}: without {listed(less)}"
    return show_change(change, names)


def last(address: str) -> str:
    """The last part of an address, without the number of a line that has no id."""
    return address.rpartition("/")[2].partition("#")[0]


_MOST = 8


def reason(found: Reason, names: Named) -> str:
    """A reason as people read it."""
    told = None if found.judged is None else Told(found.judged, names)
    condition = None if told is None else told.condition
    said = visible(found.text) if told is None or condition is None else told.said(condition, truth=False)
    return f"{PREFERRED}: {said}" if found.preferred else said


def condition(found: Reason) -> tuple[str, ...]:
    """The condition that failed as the rules write it, where the author gave no words for it."""
    return () if found.judged is None else (f"the condition is `{visible(found.judged.title or found.text)}`",)


def excluded(members: Sequence[tuple[Value, Reason]], called: Callable[[Value], str], names: Named) -> Iterator[str]:
    """Each member that cannot be taken, as it is called, with why; of many the first, and how many more there are."""
    shown = [(called(member), reason(why, names)) for member, why in members[:_MOST]]
    width = max((len(member) for member, _ in shown), default=0)
    yield from (f"{member:{width}}   {why}" for member, why in shown)
    if len(members) > _MOST:
        yield f"and {len(members) - _MOST} more"
