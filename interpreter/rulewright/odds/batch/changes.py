"""WebAssembly for lines that change something: attributes, numbers with bounds, places, what is in play."""

from collections.abc import Sequence

from rulewright.odds.batch import cells, sets
from rulewright.odds.batch.digits import column, entry, game, in_play, larger, of_cells, with_entry
from rulewright.odds.batch.events import removed
from rulewright.odds.batch.sets import bit
from rulewright.odds.batch.settling import settle, unsettle
from rulewright.odds.batch.shapes import UnfitError
from rulewright.odds.batch.slots import known, slot
from rulewright.odds.batch.writer import Body, Module, constant, held
from rulewright.program import expressions as ex, statements as st, types as ty
from rulewright.program.effects import written_by
from rulewright.program.expressions import Expression


def change(body: Body, line: st.Statement) -> None:
    """A line that changes something, and what follows from it.

    Raises:
        UnfitError: it changes what is not held.
    """
    match line:
        case st.Assign(place=place, value=new):
            _write(body, place, slot(body, new, place.type))
        case st.AddAmount():
            add_amount(body, line)
            return
        case st.AddMember(place=place, member=member, take=take):
            if not isinstance(place.type, ty.SetType) or line.otherwise is not None:
                raise UnfitError(f"a member of a {type(place.type).__name__.removesuffix('Type').lower()}")
            item, now = place.type.item, _read(body, place)
            alone = sets.new(body, item)
            body.line(sets.put(body, item, alone, body.value(member)))
            _write(body, place, sets.joined(body, item, now, held(alone), less=take))
        case st.Move(thing=thing, kind=kind, destination=to) | st.PlaceThing(thing=thing, kind=kind, spot=to):
            _put(body, thing, kind, "at", body.value(to))
        case st.Turn(thing=thing, kind=kind, heading=heading, face=face):
            code = body.value(_towards(line) if face else heading)
            _put(body, thing, kind, "facing", code)
        case st.Remove():
            _remove(body, line)
        case _:
            raise TypeError(type(line))
    settle(body, line)


def _towards(line: st.Turn) -> Expression:
    """The direction in which a thing sees a cell."""
    at = ex.StoredAttribute(type=line.heading.type, span=line.span, target=line.thing, kind=line.kind, name="at")
    space = getattr(ty.present(line.heading.type), "space", "hex")
    return ex.Builtin(type=ty.DirectionType(space), span=line.span, name="direction", arguments=(at, line.heading))


def small_amounts(module: Module, line: st.If) -> Sequence[st.AddAmount]:
    """The lines under a condition, where all they do is to add or take a little as far as there is room.

    Nothing follows from them, so they can be carried out so many times as the condition holds, which is once or never:
    a branch that is guessed wrong takes longer than they do.
    """
    (branch, *others), masks = line.branches, module.executable.tables.masks
    amounts = [
        each
        for each in branch.block
        if isinstance(each, st.AddAmount)
        and each.up_to
        and None not in (each.low, each.high)
        and isinstance(each.amount, ex.Literal)
        and _is_at_hand(each.place)
        and not any(masks.get(place) for place in written_by(each))
    ]
    return amounts if len(amounts) == len(branch.block) <= _FEW and not others and not line.otherwise else ()


_FEW = 2
"""So many lines take less than a branch that is guessed wrong every second time."""


def _is_at_hand(place: st.Place) -> bool:
    """Whether a number can be read and written wherever it is known which condition leads there."""
    return isinstance(place, st.VariablePlace | st.GamePlace) or (
        isinstance(place, st.AttributePlace)
        and isinstance(place.target, ex.Local)
        and isinstance(place.target.type, ty.ThingType)
    )


def add_amount(body: Body, line: st.AddAmount, times: str = "") -> None:
    """Adds or takes an amount, as often as a name says where one is given.

    Raises:
        UnfitError: it changes what is not held.
    """
    word, amount = "sub" if line.take else "add", body.value(line.amount)
    amount = f"(i64.mul {amount} {held(times)})" if times else amount
    new = body.temporary(f"(i64.{word} {_read(body, line.place)} {amount})")
    low, high = line.low, line.high
    if line.up_to:
        found = held(new)
        found = found if low is None else larger(body, found, constant(low), least=False)
        found = found if high is None else larger(body, found, constant(high), least=True)
        _write(body, line.place, found)
        settle(body, line)
        return
    room = "(i32.const 1)"
    room = room if low is None else f"(i64.ge_s {held(new)} {constant(low)})"
    room = room if high is None else f"(i32.and {room} (i64.le_s {held(new)} {constant(high)}))"
    if line.otherwise is None:
        body.unless(room, "no room for a change")
        _write(body, line.place, held(new))
        settle(body, line)
        return
    body.line(f"(if {room} (then")
    _write(body, line.place, held(new))
    settle(body, line)
    body.line(") (else")
    body.block(line.otherwise)
    body.line("))")


def _read(body: Body, place: st.Place) -> str:
    match place:
        case st.VariablePlace(variable):
            return body.get(variable)
        case st.GamePlace(name):
            return f"(i64.load (i32.const {game(body.module, name)}))"
        case st.AttributePlace() | st.CellPlace():
            return f"(i64.load {_address(body, place)})"
        case st.EntryPlace(target, key) if isinstance(target.type, ty.MapType):
            return entry(body, _read(body, target), body.value(key), target.type, present_=True)
        case _:
            raise UnfitError("a part of a value is changed")


def _address(body: Body, place: st.AttributePlace | st.CellPlace) -> str:
    start = (
        column(body.module, place.kind, place.name)
        if isinstance(place, st.AttributePlace)
        else of_cells(body.module, place.board, place.name)
    )
    return f"(i32.add (i32.const {start}) (i32.shl (i32.wrap_i64 {known(body, place.target)}) (i32.const 3)))"


def _write(body: Body, place: st.Place, code: str) -> None:
    match place:
        case st.VariablePlace(variable):
            body.set(variable, code)
        case st.GamePlace(name):
            body.line(f"(i64.store (i32.const {game(body.module, name)}) {code})")
            unsettle(body, f"game/{name}")
        case st.AttributePlace(kind=kind, name=name):
            body.line(f"(i64.store {_address(body, place)} {code})")
            unsettle(body, f"{kind}/{name}")
        case st.CellPlace(board=board, name=name):
            body.line(f"(i64.store {_address(body, place)} {code})")
            unsettle(body, f"{board}/{name}")
        case st.EntryPlace(target, key) if isinstance(target.type, ty.MapType):
            _write(body, target, with_entry(body, _read(body, target), body.value(key), code, target.type))
        case _:
            raise UnfitError("a part of a value is changed")


def _put(body: Body, thing: Expression, kind: str, name: str, code: str) -> None:
    """Writes the place or facing of a thing that is in play; a place off the board gives the play back."""
    module = body.module
    new, at = body.temporary(code), body.temporary(body.value(thing))
    among = f"(i64.and (i64.shr_u (i64.load (i32.const {in_play(module, kind)})) {held(at)}) (i64.const 1))"
    body.unless(f"(i32.wrap_i64 {among})", "a thing that is gone is moved")
    if name == "at":
        type_ = ty.present(module.executable.layout.types[f"{kind}/at"])
        if not isinstance(type_, ty.CellType):
            raise UnfitError("a place on the plane")
        body.unless(cells.is_on_board(module, type_, held(new)), "a thing leaves the board")
    offset = column(module, kind, name)
    body.line(f"(i64.store offset={offset} (i32.shl (i32.wrap_i64 {held(at)}) (i32.const 3)) {held(new)})")
    unsettle(body, f"{kind}/{name}")


def _remove(body: Body, line: st.Remove) -> None:
    place, thing = in_play(body.module, line.kind), body.temporary(body.value(line.thing))
    before = f"(i64.load (i32.const {place}))"
    with body.inside(f"if {sets.is_bit(before, held(thing))} (then"):
        body.line(f"(i64.store (i32.const {place}) (i64.xor {before} {bit(held(thing))}))")
        unsettle(body, f"{line.kind}/gone")
        removed(body, line, thing)
    body.line(")")
