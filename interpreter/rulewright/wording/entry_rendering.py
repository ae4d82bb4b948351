"""Trace entries in words: dice, tallies, decisions, changes, refusals, and the origin of a value."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from rulewright.base.diagnostics import make_visible
from rulewright.program import declarations as d, statements as st, types as ty
from rulewright.program.declarations import Decide, Function, Program, Table, Tally
from rulewright.program.expressions import (
    Builtin,
    CallFunction,
    Cell,
    Conditional,
    DerivedAttribute,
    Expression,
    Literal,
    Narrowed,
    Variable,
    WordLiteral,
)
from rulewright.program.types import CellType, MapType, TupleType, Type
from rulewright.program.walk import get_changed_places, list_routines
from rulewright.program.wording import render_brief_expression
from rulewright.runtime.codec_protocols import NameSource
from rulewright.runtime.request import (
    PREFERENCE_TEXT,
    JudgedRow,
    RefusalReason,
    RolledDie,
    StateChange,
    TraceEntry,
    ValueRead,
)
from rulewright.runtime.type_codecs import format_value, value_to_json
from rulewright.runtime.values import GameMap, HiddenValue, Value
from rulewright.wording.condition_rendering import ConditionNarrator, call_attribute, counts_dice
from rulewright.wording.english import add_colon, join_words, make_singular, select_verb_form, speak_name


def show_reading(reading: ValueRead, names: NameSource) -> str:
    """What was read, and its value."""
    return f"{make_visible(reading.text)} = {format_value(reading.value, reading.type, names)}"


def is_game_change(change: StateChange) -> bool:
    """Whether a change is of the game, not of a variable of a running procedure."""
    return change.before != change.after and _is_game_place(change)


def _is_game_place(change: StateChange) -> bool:
    """The path of a variable is its name alone; a stored relation has a pair and flags."""
    return "/" in change.place or (isinstance(change.key, tuple) and isinstance(change.after, bool))


def show_change(change: StateChange, names: NameSource) -> str:
    """`mordred.health: 3 → 2`."""
    owner, _, name = change.place.rpartition("/")
    if name == "gone" and isinstance(change.key, int):
        who = names.thing_id(owner, change.key)
        return f"{make_visible(who)} {select_verb_form(who, 'is', 'are', names)} {'out of' if change.after else 'back in'} play"
    before, after = (format_value(item, change.type, names) for item in (change.before, change.after))
    return f"{show_place(change, names)}: {before} → {after}"


def show_place(change: StateChange, names: NameSource) -> str:
    """`anvil.health`; for being in play, the thing."""
    owner, _, name = change.place.rpartition("/")
    if name == "gone" and isinstance(change.key, int):
        return make_visible(f"{names.thing_id(owner, change.key)} out of play")
    return make_visible(".".join((_render_changed_parts(owner, name, change.key, names), *change.parts)))


def _render_changed_parts(owner: str, name: str, key: Value, names: NameSource) -> str:
    match key:
        case None:
            return name
        case int() if owner in names.program.kinds:
            return f"{names.thing_id(owner, key)}.{name}"
        case (int() as first, int() as second) if not owner and name in names.program.relations:
            return _render_pair(name, first, second, names)
        case _ if (kind := map_key_type(owner, name, names)) is None:
            return f"{name}[{key}]" if owner in {"", "game"} else name
        case _ if owner in names.program.boards:
            return f"{owner} {'side' if isinstance(kind, TupleType) else ''}{format_value(key, kind, names)}.{name}"
        case _:
            return f"{name}[{format_value(key, kind, names)}]"


def map_key_type(owner: str, name: str, names: NameSource) -> Type | None:
    """Key type of a changed entry: cell, side, or key of a map of the game or of a variable."""
    program = names.program
    if owner in program.boards:
        board, cell = program.boards[owner], CellType(program.boards[owner].space)
        return TupleType((cell, cell)) if any(side.name == name for side in board.sides) else cell
    if owner not in {"", "game"}:
        return None
    if name in program.game and isinstance(field_type := program.game[name].type, MapType):
        return field_type.key
    variables = (
        variable for routine in list_routines(program) for variable in routine.variables if variable.name == name
    )
    return next((item.type.key for item in variables if isinstance(item.type, MapType)), None)


def _render_pair(relation: str, first: int, second: int, names: NameSource) -> str:
    types = [parameter.type for parameter in names.program.relations[relation].parameters]
    return f"{relation}({format_value(first, types[0], names)}, {format_value(second, types[1], names)})"


def show_player(number: int | None, names: NameSource) -> str:
    """Id of a player; `the table` for nobody."""
    return "the table" if number is None else make_visible(names.thing_id("player", number))


_CHANGE_SIGNS = {"plus": "+", "times": "×"}  # noqa: RUF001 - a product


# Dice.


def render_dice(thrown: Sequence[RolledDie], names: NameSource) -> str:
    """Rolled faces: `6! 4` for an explosion, `(2)` if not counted, `3→5` for a re-roll."""
    return " ".join(shown for _, shown in _render_each_die(thrown, names))


def _render_each_die(thrown: Sequence[RolledDie], names: NameSource) -> Iterator[tuple[RolledDie, str]]:
    """A die, then those that its explosion added."""
    sources = {item.origin for item in thrown}
    order = [at for at, item in enumerate(thrown) if item.origin is None]
    for at, rolled_die in enumerate(thrown):
        if rolled_die.origin is not None:
            order.insert(order.index(rolled_die.origin) + 1, at)
    yield from ((thrown[at], _render_die(thrown[at], at in sources, names)) for at in order)


def _render_dice_by_part(thrown: Sequence[RolledDie], part: ty.Type | None, names: NameSource) -> str:
    """`rolf 2 5 3, sven 5 1`."""
    if not is_named_part(part):
        return render_dice(thrown, names)
    result = []
    for called, group in groupby(_render_each_die(thrown, names), key=lambda item: item[0].part):
        shown = " ".join(shown for _, shown in group)
        result.append(shown if called is None or part is None else f"{format_value(called, part, names)} {shown}")
    return ", ".join(result)


def is_named_part(part: ty.Type | None) -> bool:
    """Whether parts of a roll are labelled, by words or things."""
    return part is not None and isinstance(ty.strip_optional(part), ty.WordType | ty.ThingType)


def _render_die(die: RolledDie, exploded: bool, names: NameSource) -> str:  # noqa: FBT001
    type_ = die_face_type(die.die, names)
    face = format_value(die.face, type_, names)
    again = "" if die.before is None else f"{format_value(die.before, type_, names)}→"
    shown = f"{again}{face}{'!' if exploded else ''}"
    return shown if die.kept else f"({shown})"


def die_face_type(die: str, names: NameSource) -> ty.Type:
    """Type of the faces of a die."""
    declared = names.program.dice.get(die)
    return declared.face_type if declared else ty.WHOLE


def render_dice_notation(sorts: Iterable[tuple[int, str]]) -> str:
    """`2d6`, `2d6 + 1d8`, `3 white_guard`."""
    result: dict[str, int] = {}
    for count, die in sorts:
        result[die] = result.get(die, 0) + count
    return " + ".join(_render_dice_sort(count, die) for die, count in result.items())


def _render_dice_sort(count: int, die: str) -> str:
    """Two dice read as one number have no count if there is one pair."""
    if count == 1 and die == st.get_die_name(ty.PAIRED_FACES, ""):
        return die
    return f"{count}{'' if die[:1] == 'd' and die[1:].isdigit() else ' '}{make_visible(die)}"


def render_roll(entry: TraceEntry, names: NameSource) -> str:
    """`strike 2d6: 2 4`; a re-roll says so."""
    name = speak_name(getattr(getattr(entry.node, "variable", None), "name", "") or last_address_part(entry.address))
    if isinstance(entry.node, st.Reroll):
        return f"rolls again: {render_dice(entry.dice, names)}" if entry.dice else "rolls no dice again"
    if isinstance(entry.node, st.Shuffle):
        return f"{name.removeprefix('shuffle.')}: nothing to shuffle"
    thrown = [die for die in entry.dice if die.origin is None]
    part = getattr(entry.type, "part", None)
    return (
        f"{name} {render_dice_notation((1, rolled_die.die) for rolled_die in thrown)}: {_render_dice_by_part(entry.dice, part, names)}"
        if thrown
        else f"{name}: no dice"
    )


def render_draw(entry: TraceEntry, names: NameSource) -> str:
    """`draws card from the discards: Halt`, or that nothing was left."""
    if entry.type is None:
        card = "nothing is left"
    else:
        card = "(a secret)" if isinstance(entry.result, HiddenValue) else render_entry_value(entry, names)
    who = show_player(entry.player, names)
    does = "draws" if entry.player is None else f"{who} {select_verb_form(who, 'draws', 'draw', names)}"
    return f"{does} {speak_name(entry.title)} from {_render_draw_source(entry.node.place, ConditionNarrator(entry, names))}: {card}"


def _render_draw_source(place: st.Place, narrator: ConditionNarrator) -> str:
    """`orders`, `anvil.hand`, `hands[red]`."""
    match place:
        case st.GamePlace(name=name) | st.VariablePlace(variable=Variable(name=name)):
            return make_visible(name)
        case st.AttributePlace(target=target, name=name):
            return f"{narrator.show_expression(target).strip('`')}.{make_visible(name)}"
        case st.EntryPlace(target=outer, key=key):
            return f"{_render_draw_source(outer, narrator)}[{narrator.show_expression(key).strip('`')}]"
        case _:
            return make_visible(narrator.place_text(place))


# Values and their origins.


def render_entry_value(entry: TraceEntry, names: NameSource) -> str:
    """Result of an entry."""
    if entry.dice and entry.sort not in {"count", "answer"}:
        return render_dice(entry.dice, names)
    if entry.type is None:
        match entry.result:
            case None:
                return ""
            case bool(flag):
                return "yes" if flag else "no"
            case other:
                return make_visible(str(other))
    return format_value(entry.result, entry.type, names)


def render_tally(entry: TraceEntry, names: NameSource) -> str:
    """`5 = 4 +1 (the target's shield)`; only the number if no row applied."""
    steps = [_render_tally_row(row, names) for row in entry.rows if row.outcome == "applied"]
    result = render_entry_value(entry, names)
    if not steps or entry.start is None or entry.type is None:
        return result
    return f"{result} = {format_value(entry.start, entry.type, names)} {' '.join(steps)}"


def _render_tally_row(row: JudgedRow, names: NameSource) -> str:
    why = make_visible(row.title) or speak_name(row.id)
    amount = format_value(row.value, ty.WHOLE, names) if isinstance(row.value, int) else make_visible(str(row.value))
    if row.change == "plus":
        return f"{'' if amount.startswith('-') else '+'}{amount} ({why})"
    return (
        f"{_CHANGE_SIGNS[row.change]}{amount} ({why})"
        if row.change in _CHANGE_SIGNS
        else f"{row.change} {amount} ({why})"
    )


def render_taken_row(entry: TraceEntry, names: NameSource) -> str:
    """Row that a decide or table took: the author's words, or those of its cells."""
    row = next((judged_row for judged_row in entry.rows if judged_row.outcome == "taken"), None)
    if row is None:
        return ""
    return make_visible(row.title) or call_row(row.address, row.id, entry.node, names)


def call_row(address: str, row: str, function: Any, names: NameSource) -> str:  # any node
    """Id of a row, with the titles of the words in its cells, and `6 or more` for a cell without an upper bound."""
    cells = _find_cells(address, function)
    words = _call_cell_words(cells, names)
    parts = row.split("/")
    for place, cell in enumerate(cells[: len(parts)]):
        if any(
            isinstance(bound, Literal) and isinstance(bound.value, int) and bound.value < 0
            for bound in (cell.value, cell.low, cell.high)
        ):
            parts[place] = _call_cell(cell)
        elif len(parts) > 1:
            parts[place] = parts[place].partition("#")[0]
    return "/".join(words.get(part) or speak_name(part) for part in parts)


def _find_cells(row: str, function: Any) -> Sequence[Cell]:  # any node
    match function:
        case Function(body=Table(rows=rows)):
            return [cell for of in rows if of.address == row for cell in of.cells]
        case _:
            return ()


def _call_cell_words(cells: Sequence[Cell], names: NameSource) -> dict[str, str]:
    words = ((cell.value.position, cell.value.type) for cell in cells if isinstance(cell.value, WordLiteral))
    bounds = dict(_call_open_bound(cell) for cell in cells if (cell.low is None) != (cell.high is None))
    is_plain = sum(isinstance(cell.value, Literal) for cell in cells) == 0 and len(bounds) == 1
    return {
        **{str(value_to_json(at, type_, names)): format_value(at, type_, names) for at, type_ in words},
        **(bounds if is_plain else {}),
    }


def _call_cell(cell: Cell) -> str:
    """A cell by what is written in it: `-1`, `-5..-2`, `-2 or less`."""
    low, high = (render_brief_expression(bound) if bound else "" for bound in (cell.low, cell.high))
    if cell.value is not None:
        return render_brief_expression(cell.value)
    return f"{low}..{high}" if low and high else f"{low} or more" if low else f"{high} or less"


def _call_open_bound(cell: Cell) -> tuple[str, str]:
    """A cell with one bound, by the text that its row is called by: `6`, `6 or more`."""
    bound = cell.low if cell.high is None else cell.high
    text = str(bound.value) if isinstance(bound, Literal) else ""
    return text, f"{text} or {'more' if cell.high is None else 'less'}"


def explain_entry(entry: TraceEntry, names: NameSource) -> str:
    """Tally, decide, table or count with its origin; empty if there is nothing to explain."""
    title = make_visible(entry.title) or speak_name(last_address_part(entry.address))
    match entry.sort:
        case "tally" if any(row.outcome == "applied" for row in entry.rows):
            return f"{add_colon(title)} {render_tally(entry, names)}"
        case "decide" | "table" if why := render_taken_row(entry, names):
            value = render_entry_value(entry, names)
            same = {
                value,
                speak_name(value),
                speak_name(str(value_to_json(entry.result, entry.type, names))) if entry.type else "",
            }
            return f"{add_colon(title)} {value}" + ("" if why in same else f" ({why})")
        case "count" if counts_dice(entry):
            return f"{ConditionNarrator(entry, names).render_dice_count()}{f' ({which})' if (which := render_dice(entry.dice, names)) else ''}"
        case _:
            return ""


# Changes.


def render_entry_change(change: StateChange, entry: TraceEntry, names: NameSource) -> str:
    """`hammer loses 1 Morale Token: 2 → 1`; empty if the value is the same."""
    if not is_game_change(change):
        return ""
    owner, _, name = change.place.rpartition("/")
    before, after = change.before, change.after
    whose = names.thing_id(owner, change.key) if owner in names.program.kinds and isinstance(change.key, int) else ""
    shown = f"{format_value(before, change.type, names)} → {format_value(after, change.type, names)}"
    match entry.node:
        case st.AddAmount(place=st.EntryPlace(key=key)) | st.Assign(place=st.EntryPlace(key=key)) if (
            whose or change.parts
        ):
            place = show_place(change if whose else replace(change, key=None), names)
            return f"{place}[{ConditionNarrator(entry, names).show_expression(key).strip('`')}]: {shown}"
        case st.Line() as line if (
            whose
            and not isinstance(line, st.Assign)
            and get_changed_places(line)
            and not change.parts
            and isinstance(before, int)
            and isinstance(after, int)
        ):
            does = (
                select_verb_form(whose, "gains", "gain", names)
                if after > before
                else select_verb_form(whose, "loses", "lose", names)
            )
            amount = abs(after - before)
            called = call_attribute(owner, name, names.program)
            called = make_visible(make_singular(called) if amount == 1 else called)
            return f"{make_visible(whose)} {does} {amount} {called}: {shown}"
        case st.Move() | st.PlaceThing() if whose and name == "at":
            does = (
                select_verb_form(whose, "is placed", "are placed", names)
                if before is None
                else select_verb_form(whose, "moves", "move", names)
            )
            return f"{make_visible(whose)} {does}: {shown}"
        case st.Turn() if whose:
            return f"{make_visible(whose)} {select_verb_form(whose, 'turns', 'turn', names)}: facing {shown}"
        case _ if isinstance(change.type, ty.SetType | ty.ListType | ty.BagType) and isinstance(before, tuple):
            return _render_collection_change(change, names)
        case _:
            return show_change(change, names)


def render_net_change(change: StateChange, names: NameSource) -> Iterator[str]:
    """Net changes of a play: entries of a map, or members of a collection."""
    before, after = change.before, change.after
    match change.type:
        case ty.MapType(key, value) if isinstance(before, GameMap) and isinstance(after, GameMap):
            place = show_change(change, names).partition(": ")[0]
            keys = [fromkey for fromkey in dict.fromkeys((*before, *after)) if before[fromkey] != after[fromkey]]
            for item in keys:
                values = f"{format_value(before[item], value, names)} → {format_value(after[item], value, names)}"
                yield f"{place}[{format_value(item, key, names)}]: {values}"
        case ty.SetType() | ty.BagType() if isinstance(before, tuple) and before and after:
            yield _render_collection_change(change, names)
        case _:
            yield show_change(change, names)


def _render_collection_change(change: StateChange, names: NameSource) -> str:
    """Only the added, or only the removed, members if just one of them occurred."""
    before, after = change.before, change.after
    assert isinstance(before, tuple)
    assert isinstance(after, tuple)
    item = change.type.item  # type: ignore[union-attr]
    place = show_change(change, names).partition(": ")[0]
    if isinstance(change.type, ty.ListType) and len(after) > len(before) > 0 and after[: len(before)] == before:
        return (
            f"{place}: with {join_words([format_value(each, item, names) for each in after[len(before) :]])} at the end"
        )
    more = [format_value(each, item, names) for each in after if each not in before]
    less = [format_value(each, item, names) for each in before if each not in after]
    if more and not less and len(after) == len(before) + len(more):
        return f"{place}: with {join_words(more)}"
    if less and not more and len(before) == len(after) + len(less):
        return f"{place}: without {join_words(less)}"
    return show_change(change, names)


def last_address_part(address: str) -> str:
    """Last part of an address, without the number of an unnamed statement."""
    return address.rpartition("/")[2].partition("#")[0]


_MAX_LISTED_EXCLUDED = 8


def render_reason(reason: RefusalReason, names: NameSource) -> str:
    """Reason of a refusal in words."""
    narrator = None if reason.judged is None else ConditionNarrator(reason.judged, names)
    condition = None if narrator is None else narrator.condition
    text = (
        make_visible(reason.text)
        if narrator is None or condition is None
        else narrator.explain_condition(condition, truth=False)
    )
    return f"{PREFERENCE_TEXT}: {text}" if reason.preferred else text


def render_failed_condition(reason: RefusalReason) -> tuple[str, ...]:
    """Source notation of the failed condition, if the author gave no words."""
    return () if reason.judged is None else (f"the condition is `{make_visible(reason.judged.title or reason.text)}`",)


def render_excluded(
    members: Sequence[tuple[Value, RefusalReason]], called: Callable[[Value], str], names: NameSource
) -> Iterator[str]:
    """Excluded members with their reasons, truncated with a count of the rest."""
    shown = [(called(member), render_reason(why, names)) for member, why in members[:_MAX_LISTED_EXCLUDED]]
    width = max((len(member) for member, _ in shown), default=0)
    yield from (f"{member:{width}}   {why}" for member, why in shown)
    if len(members) > _MAX_LISTED_EXCLUDED:
        yield f"and {len(members) - _MAX_LISTED_EXCLUDED} more"


def explain_origin(entry: TraceEntry, names: NameSource) -> str:
    """Origin of the value of a name: a tally with its rows, and the counted dice."""
    items = list(walk_nested_entries(entry))
    passed_on = _find_passed_on_tallies(entry.node.value, names.program)
    tallies = [
        trace_entry for trace_entry in items if trace_entry.sort == "tally" and trace_entry.result == entry.result
    ]
    tallies = [tally for tally in tallies if tally.address in passed_on]
    counts = [trace_entry for trace_entry in items if trace_entry.sort == "count" and counts_dice(trace_entry)]
    text = ""
    if len(tallies) == 1 and " = " in (full := render_tally(tallies[0], names)):
        text = f" ={full.partition(' =')[2]}"
    elif len(tallies) == 1 and tally_title(entry.node, names):
        text = explain_unmoved_tally(tallies[0])
    if len(counts) == 1 and (tallies or len(entry.inner) == 1):
        which = render_dice(counts[0].dice, names)
        text += f"  ({which})" if which else "  (no die)"
    return text


def tally_title(line: st.Let, names: NameSource) -> str:
    """Title of the tally whose result a `let` names, or empty."""
    value = line.value.operand if isinstance(line.value, Narrowed) else line.value
    called = value.function if isinstance(value, CallFunction | DerivedAttribute) else ""
    declared = names.program.functions.get(called)
    return make_visible(declared.title) if declared and isinstance(declared.body, Tally) else ""


def explain_unmoved_tally(tally: TraceEntry) -> str:
    """Note on a tally without applicable rows; empty if its rows are hidden."""
    counts = not tally.rows or any(row.outcome == "applied" for row in tally.rows)
    return "" if counts else "  (no row counts)"


def walk_nested_entries(entry: TraceEntry) -> Iterator[TraceEntry]:
    """Nested entries of an entry, in pre-order."""
    for trace_entry in entry.inner:
        yield trace_entry
        yield from walk_nested_entries(trace_entry)


def _find_passed_on_tallies(value: Expression | None, program: Program) -> frozenset[str]:
    """Tallies whose number may be the value unchanged: itself, branches, minimum or maximum, results of terms."""
    result, waiting = set[str](), [value]
    while waiting:
        match waiting.pop():
            case Narrowed(operand=inner):
                waiting.append(inner)
            case Conditional(then=first, otherwise=second):
                waiting += [first, second]
            case Builtin(name="min" | "max", arguments=arguments):
                waiting += arguments
            case (CallFunction() | DerivedAttribute()) as called if called.function not in result:
                result.add(called.function)
                match program.functions[called.function].body:
                    case Tally(start=start):
                        waiting.append(start)
                    case d.Value(value=means):
                        waiting.append(means)
                    case Decide(rows=rows):
                        waiting += (row.value for row in rows)
                    case _:
                        pass
            case _:
                pass
    return frozenset(result)
