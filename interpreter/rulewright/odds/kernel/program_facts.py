"""What the code of a kernel depends on in the whole program: watches, ways out, and values that outlive a call."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rulewright.odds.kernel.value_shapes import WORD_BYTES, BatchUnsupportedError, ValueShapes, is_address
from rulewright.odds.kernel.wasm_assembler import Code, FunctionWriter
from rulewright.program import types as ty
from rulewright.program.core import forms as core
from rulewright.program.core.walking import walk_forms
from rulewright.runtime.executable import Executable

_DIE_ATTRIBUTES = ("first", "rerolls", "part", "kept", "faces")


@dataclass(frozen=True)
class DiceLayout:
    """Words of a die: the face that it shows, and what else a program reads of its dice."""

    attributes: tuple[str, ...]

    @property
    def size(self) -> int:
        return WORD_BYTES * (1 + len(self.attributes))

    def offset(self, attribute: str) -> int | None:
        """Offset of an attribute; none if it is not kept."""
        if attribute == "face":
            return 0
        return WORD_BYTES * (1 + self.attributes.index(attribute)) if attribute in self.attributes else None

    def store_die(self, w: FunctionWriter, at: Code, face: Code, part: Code, faces: int) -> None:
        """Puts a fresh die into memory; `faces` is the address of all its faces."""
        values: dict[str, Code | int] = {
            "face": face,
            "first": face,
            "rerolls": 0,
            "part": part,
            "kept": 1,
            "faces": faces,
        }
        for name in ("face", *self.attributes):
            w.store(at, values[name], self.offset(name) or 0)


def find_dice_layout(program: core.CoreProgram) -> tuple[DiceLayout, tuple[tuple[object, ...], ...]]:
    """What a program reads of dice, and the faces of all dice that it throws."""
    read: set[str] = set()
    faces: dict[tuple[object, ...], None] = {}
    for form in walk_forms(*program.routines.values()):
        match form:
            case core.Op(name="die", facts=(name,)):
                read.add(name)
            case core.Op(name="highest face") | core.Reroll():
                read.add("faces")
            case core.RollOptionOf(word="keep" | "drop"):
                read |= {"kept", "first"}
            case core.DiceOf() as dice:
                read |= set() if dice.advantage is None else {"kept", "first"}
                if isinstance(dice.faces, core.Const):
                    faces[dice.faces.value] = None
    return DiceLayout(tuple(each for each in _DIE_ATTRIBUTES if each in read)), tuple(faces)


def find_plain_dice(routine: core.Routine) -> frozenset[int]:
    """Names of single dice of which only the face is read: they hold the face."""
    rolled: dict[int, int] = {}
    mentioned: dict[int, int] = {}
    for form in walk_forms(routine):
        match form:
            case core.Roll(
                dice=core.RollOf(dice=(core.DiceOf(count=None, options=(), advantage=None),), options=(), members=None)
            ):
                rolled[form.result.index] = rolled.get(form.result.index, 0) + 1
                mentioned[form.result.index] = mentioned.get(form.result.index, 0) - 1
            case (
                core.Op(name="die", facts=("natural" | "face",), arguments=(core.Get(local),))
                | core.Op(name="total", arguments=(core.Get(local),))
            ):
                mentioned[local.index] = mentioned.get(local.index, 0) - 1
            case core.Local():
                mentioned[form.index] = mentioned.get(form.index, 0) + 1
    parameters = {each.index for each in routine.parameters}
    listed = {each.index for each in routine.locals}
    return frozenset(
        index
        for index in rolled
        if mentioned[index] - (index in parameters) - (index in listed) == 0 and index not in parameters
    )


def find_fixed_parameters(routine: core.Routine, shared: tuple[int, ...]) -> frozenset[int]:
    """Positions of the parameters that are only read."""
    mentioned: dict[int, int] = {}
    for form in walk_forms(routine):
        match form:
            case core.Local(index=index):
                mentioned[index] = mentioned.get(index, 0) + 1
            case core.Get(local=local):
                mentioned[local.index] = mentioned.get(local.index, 0) - 1
    listed = {each.index for each in routine.locals}
    return frozenset(
        at
        for at, parameter in enumerate(routine.parameters)
        if parameter.index not in shared and mentioned[parameter.index] == 1 + (parameter.index in listed)
    )


Listenings = dict[str, list[tuple[int, str, core.Listening]]]
"""By event its watches, each with its number and the key of its routine."""


@dataclass
class ProgramFacts:
    """Facts of a program that do not depend on the start."""

    program: core.CoreProgram
    dice: DiceLayout
    all_faces: tuple[tuple[object, ...], ...]
    listenings: Listenings
    shared_names: Mapping[str, tuple[int, ...]]  # indices of the names that watches share, by routine
    unwinding_routines: frozenset[str]  # keys of routines that may end calls around them
    callees: Mapping[str, frozenset[str]]
    stores: Mapping[str, tuple[core.Place, ...]]  # places of the store that a routine writes
    texts: dict[Any, int] = field(default_factory=dict)  # numbers of texts, points and outlines


def find_facts(executable: Executable) -> ProgramFacts:
    program, externals = executable.core_program, executable.program.external_procedures
    listenings: Listenings = {}
    shared: dict[str, tuple[int, ...]] = {}
    callees: dict[str, frozenset[str]] = {}
    stores: dict[str, tuple[core.Place, ...]] = {}
    unwinds: set[str] = set()
    triggers: dict[str, set[str]] = {}
    for key, routine in program.routines.items():
        called: set[str] = set()
        written: list[core.Place] = []
        for form in walk_forms(routine):
            match form:
                case core.During(effect=core.Listening() as listening):
                    number = sum(map(len, listenings.values()))
                    listenings.setdefault(listening.event, []).append((number, key, listening))
                    inside = {each.index for each in walk_forms(listening) if isinstance(each, core.Local)}
                    shared[key] = tuple(sorted({*shared.get(key, ()), *inside}))
                case core.During() | core.Settle():
                    called.add(core.SETTLING)
                case core.Call(routine=name) | core.Apply(routine=name) | core.Closure(routine=name):
                    called.add(name)
                case core.Wanted(default=str() as name):
                    called.add(name)
                case core.Trigger(event=event):
                    triggers.setdefault(key, set()).add(event)
                case core.Quiet(holds_back=True):
                    called |= set(program.windows.values())
                case core.Unwind():
                    unwinds.add(key)
                    called.add(core.SETTLING)
                case core.External(name=name):
                    written += [find_changed_place(executable, place, 0)[0] for place in externals[name].changes]
                case core.Place() as place:
                    if not isinstance(place.root, core.Local | core.Due):
                        written.append(place)
        callees[key], stores[key] = frozenset(called), tuple(written)
    for key, events in triggers.items():
        heard = {program.windows[event] for event in events if event in program.windows}
        heard |= {listener for event in events for _, listener, _ in listenings.get(event, ())}
        callees[key] |= heard
    _spread(unwinds, callees)
    return ProgramFacts(program, *find_dice_layout(program), listenings, shared, frozenset(unwinds), callees, stores)


def find_changed_place(executable: Executable, name: str, thing: int | None) -> tuple[core.Place, ty.Type]:
    """Place of the store that an external may change, by its name as in `Request.changes`, and its type."""
    kind, _, attribute = name.rpartition("/")
    of = core.Const(thing, type=ty.ThingType(kind), origin=None)
    root: core.StoreRoot = core.GameField(attribute) if kind == "game" else core.Attribute(kind, attribute, of)
    root = core.Gone(kind, of) if attribute == "gone" else root
    type_ = ty.FLAG if attribute == "gone" else executable.layout.types[name]
    return core.Place(root, (), type_), type_


def _spread(keys: set[str], callees: Mapping[str, frozenset[str]]) -> None:
    """Adds all routines that call one of the keys."""
    while more := {key for key, called in callees.items() if key not in keys and called & keys}:
        keys |= more


def find_heap_keepers(facts: ProgramFacts, shapes: ValueShapes) -> frozenset[str]:
    """Keys of routines after which something that they made may still be wanted, beside their result."""
    keepers = {
        key for key, places in facts.stores.items() if any(_holds_address(shapes, each.root_type) for each in places)
    }
    for _, key, listening in (each for listenings in facts.listenings.values() for each in listenings):
        locals_ = [form for form in walk_forms(listening) if isinstance(form, core.Local)]
        if any(_holds_address(shapes, each.type) for each in locals_):
            keepers |= set(facts.callees)
        assert key in facts.callees
    _spread(keepers, facts.callees)
    return frozenset(keepers)


def _holds_address(shapes: ValueShapes, type_: Any) -> bool:
    if isinstance(type_, core.RankingType):
        return True
    try:
        return is_address(shapes.of(type_))
    except BatchUnsupportedError:
        return True


def keeps_result(shapes: ValueShapes, type_: core.CoreType | None) -> bool:
    """Whether the result of a routine lies in memory."""
    return type_ is not None and not isinstance(type_, ty.NoneType) and _holds_address(shapes, type_)
