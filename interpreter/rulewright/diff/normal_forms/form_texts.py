"""Core forms as text, under the names of the revision that a program is compared with: equal texts, equal play.

What this module does not know better is written out whole: the class of a form and all its fields but origins and
types. Constants bear what they are of, since the number 0, the first word of a list and `no` are equal in core. A
narrowing leaves no text: where a value is needed of a narrower type, the type of its place says so.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache
from typing import Any, Literal

from rulewright.diff.item_matching import translate_names
from rulewright.diff.normal_forms.alpha_renaming import substitute_names
from rulewright.program import statements as st, types as ty
from rulewright.program.core import forms as core
from rulewright.program.core.operations import OPERATIONS
from rulewright.program.core.walking import walk_forms
from rulewright.program.declarations import Program
from rulewright.program.outline.items import DeclaredName, NamingContext, make_form_tokens
from rulewright.program.types import WHOLE

Mode = Literal["named", "unnamed", "strict"]
"""Whether names of the routine are written, and whether narrowings are."""
_SORTS_OF_KEYS = {
    "related": "relation", "default": "external", "measure": "measure", "invariant": "invariant", "find": "rule",
    "lowers": "rule", "rule": "rule", "guard": "handler", "ready": "handler", "handler": "handler",
    "holders": "event", "order": "event", "window": "event", "procedure": "procedure",
}  # fmt: skip
"""Sorts of the declarations that the keys of routines name; functions apart."""


class FormWriter:
    """Texts of the forms of one program.

    Args:
        program: from which the forms are made.
        names: from this program to the other one.
        write_range: what stands for the call of a range of steps, by its key.
    """

    def __init__(
        self,
        program: Program,
        names: Mapping[DeclaredName, DeclaredName],
        write_range: Callable[[str], str] = str,
    ) -> None:
        self._program = program
        self._names = names
        self._write_range = write_range
        self._context = NamingContext(program, "")
        self._occurrences: Counter[int] = Counter()
        self._texts: dict[Mode, dict[int, tuple[Any, str]]] = {"named": {}, "unnamed": {}, "strict": {}}

    def translate(self, sort: str, name: str) -> str:
        """A declared name, under its name in the other program."""
        declared = self._names.get(found := DeclaredName(sort, name), found)
        return f"{declared.sort}'{declared.name}'"

    def find_declaration(self, key: str) -> DeclaredName:
        """The declaration that a routine with a key is made from."""
        sort, _, name = key.partition(":")
        if sort in {"function", "enter", "end"}:
            declared = self._program.functions.get(name)
            return DeclaredName(
                "attribute" if declared is not None and declared.sort == "attribute" else "function", name
            )
        return DeclaredName(_SORTS_OF_KEYS[sort], name.partition(":")[0])

    def order_key(self, form: Any) -> tuple[str, str]:
        """Key that orders parts of a routine: at first without its names."""
        return self.write(form, "unnamed"), self.write(form, "named")

    def is_same(self, one: Any, other: Any) -> bool:
        """Whether two parts of a routine do the same, each with names of its own."""
        if one is other or self.write(one, "strict") == self.write(other, "strict"):
            return True
        if self.write(one, "unnamed") != self.write(other, "unnamed"):
            return False
        return self._write_confined(one) == self._write_confined(other)

    def count_names(self, routine: core.Routine) -> None:
        """Has names that occur in one part of a routine alone be told from others."""
        self._occurrences = Counter(form.index for form in walk_forms(routine) if isinstance(form, core.Local))
        self._occurrences.subtract(local.index for local in routine.locals)

    def _write_confined(self, form: Any) -> str:
        """Strict text of a form in which names that occur nowhere else are numbered by first use."""
        inside = Counter(part.index for part in walk_forms(form) if isinstance(part, core.Local))
        fresh: dict[int, core.Local] = {}
        values: dict[int, core.Expression] = {}
        for index, times in inside.items():
            if times == self._occurrences[index]:
                fresh[index] = core.Local(-1 - len(fresh), WHOLE)
                values[index] = core.Get(fresh[index], type=WHOLE, origin=None)
        return self.write(substitute_names(form, values, fresh), "strict")

    def write(self, form: Any, mode: Mode = "named") -> str:
        """Text of a form, a tuple of forms or a plain value."""
        if isinstance(form, tuple):
            return f"[{' '.join(self.write(part, mode) for part in form)}]"
        known = self._texts[mode].get(id(form))
        if known is None:
            known = self._texts[mode][id(form)] = form, self._write_form(form, mode)
        return known[1]

    def write_type(self, type_: object) -> str:
        """Text of a type, or of anything else that names declarations."""
        if isinstance(type_, core.RankingType):
            return f"ranking {self.write_type(type_.member)}"
        return " ".join(map(str, translate_names(make_form_tokens((type_,), self._context), self._names)))

    def _write_form(self, form: Any, mode: Mode) -> str:
        match form:
            case core.Local(index=index, name=name):
                return name if mode == "named" or name.startswith("§") else str(index) if mode == "strict" else "·"
            case core.Const(value=value, type=type_):
                return self._write_constant(form, value, type_)
            case core.Op(name="narrow", arguments=(operand,)) if mode != "strict":
                return self.write(operand, mode)
            case core.Op(name="part", arguments=(target,), facts=(position,)):
                return f"(part {self._name_part(target, position)} {self.write(target, mode)})"
            case core.Op(name=name, arguments=arguments, facts=facts):
                return f"({name} {self._write_facts(name, facts)} {self.write(arguments, mode)})"
            case core.Set(place=core.Place(root=core.Local() as local) as place, value=value) if has_narrowing(value):
                return f"(Set {self.write(place, mode)} {self.write_type(local.type)} {self.write(value, mode)})"
            case core.GameField(name=name):
                return self.translate("field", name)
            case core.Setting(name=name):
                return self.translate("setting", name)
            case core.InPlay(kind=kind) | core.RemovedThings(kind=kind):
                return f"({form.__class__.__name__} {self.translate('kind', kind)})"
            case core.Cells(board=board):
                return self.translate("board", board)
            case core.Attribute(kind=kind, name=name, thing=thing):
                return f"({self.translate('attribute', f'{kind}/{name}')} {self.write(thing, mode)})"
            case core.Gone(thing=thing):
                return f"(gone {self.write(thing, mode)})"
            case core.CellAttribute(board=board, name=name, cell=cell):
                return f"({self.translate('cell', f'{board}/{name}')} {self.write(cell, mode)})"
            case core.SideAttribute(board=board, name=name, first=first, second=second):
                return f"({self.translate('side', f'{board}/{name}')} {self.write((first, second), mode)})"
            case core.Pair(relation=relation, symmetric=symmetric, first=first, second=second):
                return f"({self.translate('relation', relation)} {symmetric} {self.write((first, second), mode)})"
            case core.Due(key=key):
                return f"(due {self._write_key(key)})"
            case core.Held(rule=rule):
                return f"(held {self.translate('rule', rule)})"
            case core.Apply(routine=routine, arguments=arguments) | core.Closure(routine=routine, captured=arguments):
                return f"({form.__class__.__name__} {self._write_key(routine)} {self.write(arguments, mode)})"
            case core.Wanted(external=external, arguments=arguments):
                return f"(wanted {self.translate('external', external)} {self.write(arguments, mode)})"
            case core.DiceOf(model=model) if model:
                return f"({self.translate('die', model)} {self._write_fields(form, mode, 'model')})"
            case core.Call(routine=routine):
                return f"(call {self._write_key(routine)} {self._write_fields(form, mode, 'routine')})"
            case core.Unwind(procedure=procedure):
                return (
                    f"(unwind {self.translate('procedure', procedure)} {self._write_fields(form, mode, 'procedure')})"
                )
            case core.External(name=name):
                return f"(external {self.translate('external', name)} {self._write_fields(form, mode, 'name')})"
            case core.Trigger(event=event):
                return f"(trigger {self.translate('event', event)} {self._write_fields(form, mode, 'event')})"
            case core.Listening(event=event):
                return f"(listening {self.translate('event', event)} {self._write_fields(form, mode, 'event')})"
            case core.Holding(rules=rules):
                return f"(holding {sorted(self.translate('rule', rule) for rule in rules)})"
            case core.PartOf() | core.Place():
                return self._write_place(form, mode)
            case _ if hasattr(form, "__dataclass_fields__"):
                return f"({form.__class__.__name__} {self._write_fields(form, mode)})"
            case _:
                return repr(form)

    def _write_fields(self, form: Any, mode: Mode, *known: str) -> str:
        names = (name for name in list_compared_fields(form.__class__) if name not in known)
        return " ".join(self.write(getattr(form, name), mode) for name in names)

    def _write_key(self, key: str) -> str:
        if key.startswith("procedure:") and ":" in key.partition(":")[2]:
            return self._write_range(key)
        declared = self.find_declaration(key)
        return f"{key.partition(':')[0]} {self.translate(declared.sort, declared.name)}"

    def _write_place(self, form: core.Place | core.PartOf, mode: Mode) -> str:
        if isinstance(form, core.PartOf):
            return f".{form.position}"
        path = []
        around: core.CoreType = form.root_type
        for entry in form.path:
            is_part = isinstance(entry, core.PartOf)
            path.append(f".{self._name_position(around, entry.position)}" if is_part else self.write(entry, mode))  # type: ignore[union-attr]
            around = entry.type
        return f"({self.write(form.root, mode)} {' '.join(path)})"

    def _name_part(self, target: core.Expression, position: object) -> str:
        return self._name_position(target.type, position)

    def _name_position(self, around: core.CoreType, position: object) -> str:
        record = ty.strip_optional(around) if not isinstance(around, core.RankingType) else around
        if not isinstance(record, ty.RecordType) or record.record not in self._program.records:
            return str(position)
        assert isinstance(position, int)
        return self.translate("part", f"{record.record}/{self._program.records[record.record].parts[position].name}")

    def _write_facts(self, name: str, facts: tuple[object, ...]) -> str:
        match name, facts:
            case "narrow", (type_,):
                return self.write_type(type_)
            case "destinations", (board, *rest):
                return f"{self.translate('board', str(board))} {rest}"
            case _ if OPERATIONS[name].reads == "bodies":  # the places read follow from what stands there
                return self.write_type(tuple(fact for fact in facts[:-1] if not isinstance(fact, str)))
            case "pose" | "occupants" | "connected" | "gone among", (kind,):
                return self.translate("kind", str(kind))
            case _:
                return str(facts)

    def _write_constant(self, form: core.Const, value: Any, type_: core.CoreType) -> str:
        if isinstance(form.origin, st.Option):
            option = self._names.get(found := DeclaredName("option", form.origin.address), found)
            return f"option {option.short_name!r}"
        held = ty.strip_optional(type_) if not isinstance(type_, core.RankingType) else type_
        if isinstance(held, ty.WordType) and isinstance(value, int):
            return self.translate("word", f"{held.values}/{self._program.values[held.values].words[value].name}")
        if value is None:
            return "none"
        if isinstance(value, tuple) and not isinstance(held, ty.CellType):
            inner = ty.list_held_types(held) if not isinstance(held, core.RankingType) else ()
            types = inner if isinstance(held, ty.TupleType) else (inner or (held,)) * len(value)
            parts = (self._write_constant(form, part, each) for part, each in zip(value, types, strict=False))
            return f"<{held.__class__.__name__} {' '.join(parts)}>"
        return f"{held.__class__.__name__}{getattr(held, 'space', '')} {value!r}"


@cache
def list_compared_fields(kind: type) -> tuple[str, ...]:
    """Fields of a class of forms that count in its equality."""
    return tuple(field.name for field in fields(kind) if field.compare)


def has_narrowing(value: Any) -> bool:
    """Whether a value is narrowed in any part."""
    return any(isinstance(form, core.Op) and form.name == "narrow" for form in walk_forms(value))
