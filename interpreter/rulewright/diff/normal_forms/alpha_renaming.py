"""Alpha-renaming: names of a routine by first use, names of expressions by how deep they are bound (de Bruijn 1972)."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rulewright.base.frozen import replace
from rulewright.program.core import forms as core
from rulewright.program.core.walking import map_parts, walk_forms

_FIRST_BOUND_INDEX = 3_000_000
_Renaming = Mapping[int, core.Local]


def substitute_names(form: Any, values: Mapping[int, core.Expression], names: _Renaming | None = None) -> Any:
    """A form with expressions for names that it reads, and other names for those that it writes or binds."""
    renamed = names or {}

    def change(part: Any) -> Any:
        match part:
            case core.Get(local=local):
                if local.index in values:
                    return values[local.index]
                new = renamed.get(local.index)
                return part if new is None else replace(part, local=new)
            case core.Local(index=index):
                return renamed.get(index, part)
            case _:
                return map_parts(part, change)

    return map_parts(form, change) if isinstance(form, tuple) else change(form)


def list_bound_names(form: Any) -> core.Names:
    """Names that an expression binds for its parts."""
    match form:
        case core.Over(names=names) | core.RollOf(names=names):
            return names
        case core.Bind(local=local):
            return (local,)
        case _:
            return ()


def freshen_names(form: Any, numbers: Iterator[int], names: _Renaming) -> Any:
    """A form in which each expression binds names of its own, and some names have another."""

    def change(part: Any) -> Any:
        bound = [name for name in list_bound_names(part) if name is not None]
        if bound:
            fresh = {name.index: replace(name, index=next(numbers)) for name in bound}
            return _map_scopes(part, change, lambda inner: freshen_names(inner, numbers, {**names, **fresh}), fresh)
        if isinstance(part, core.Local):
            return names.get(part.index, part)
        return map_parts(part, change)

    return map_parts(form, change) if isinstance(form, tuple) else change(form)


def _map_scopes(
    form: Any, outside: Callable[[Any], Any], inside: Callable[[Any], Any], names: Mapping[int, core.Local | None]
) -> Any:
    """An expression that binds names, with its parts changed outside and inside their scope."""
    match form:
        case core.Over(source=source, where=where, value=value):
            return replace(
                form,
                names=tuple(None if name is None else names[name.index] for name in form.names),
                source=outside(source),
                where=None if where is None else inside(where),
                value=None if value is None else inside(value),
            )
        case core.RollOf(dice=dice, options=options, members=members):
            return replace(
                form,
                names=tuple(None if name is None else names[name.index] for name in form.names),
                members=None if members is None else outside(members),
                dice=tuple(map(inside, dice)),
                options=tuple(map(inside, options)),
            )
        case core.Bind(local=local, value=value, body=body):
            return replace(form, local=names[local.index] or local, value=outside(value), body=inside(body))
        case _:
            raise TypeError(type(form))


def number_bound_names(form: Any, depth: int = 0, names: _Renaming | None = None) -> Any:
    """A form whose bound names are counted from the outside; those that are not read are left out."""
    known = names or {}

    def change(part: Any) -> Any:
        bound = list_bound_names(part)
        if bound:
            read = {inner.local.index for inner in walk_forms(part) if isinstance(inner, core.Get)}
            kept = [name for name in bound if name is not None and (name.index in read or isinstance(part, core.Bind))]
            levels: dict[int, core.Local | None] = {name.index: None for name in bound if name is not None}
            for number, name in enumerate(kept, depth):
                levels[name.index] = core.Local(_FIRST_BOUND_INDEX + number, name.type, f"§{number}")
            inner = {**known, **{index: name for index, name in levels.items() if name is not None}}
            return _map_scopes(
                part, change, lambda inside: number_bound_names(inside, depth + len(kept), inner), levels
            )
        if isinstance(part, core.Local):
            return known.get(part.index, part)
        return map_parts(part, change)

    return map_parts(form, change) if isinstance(form, tuple) else change(form)


class NameNumbering:
    """Names of the locals of one routine in the order of their occurrence; those of its parameters are given.

    `stems` gives provisional names while an order is searched; without it they are numbers.
    """

    def __init__(self, parameters: Mapping[int, str], stems: Callable[[str], str] | None = None) -> None:
        self._parameters = parameters
        self._find_stem = stems

    def number_names(self, routine: core.Routine) -> core.Routine:
        """The routine with its locals named, names that nothing reads left out where they may be, and its labels."""
        read = {form.local.index for form in walk_forms(routine) if isinstance(form, core.Get)}
        named = dict(self._parameters)
        used: Counter[str] = Counter()

        def name_local(local: core.Local) -> core.Local:
            if local.index >= _FIRST_BOUND_INDEX:
                return local
            if local.index not in named:
                stem = "v" if self._find_stem is None else self._find_stem(local.name.partition("#")[0])
                named[local.index] = f"{stem}#{used[stem]}"
                used[stem] += 1
            return local if local.name == named[local.index] else replace(local, name=named[local.index])

        def drop_unread(names: core.Names, *needed: core.Local) -> core.Names:
            kept = read | {local.index for local in needed}
            return tuple(None if name is None or name.index not in kept else name for name in names)

        def change(part: Any, labels: Mapping[int, int]) -> Any:
            match part:
                case core.Local():
                    return name_local(part)
                case core.For(names=names, label=label) as loop:
                    part = replace(loop, names=drop_unread(names))
                    labels = {**labels, label: len(labels)}
                case core.Loop(label=label):
                    labels = {**labels, label: len(labels)}
                case core.Ask(space=core.Members() | core.Subsets() as space, result=result):
                    part = replace(part, space=replace(space, names=drop_unread(space.names, result)))
            changed = map_parts(part, lambda inner: change(inner, labels))
            if isinstance(changed, core.For | core.Loop | core.Leave):
                return replace(changed, label=labels[changed.label])
            return changed

        numbered = replace(
            routine,
            parameters=tuple(map(name_local, routine.parameters)),
            entry=map_parts(routine.entry, lambda part: change(part, {})),
            steps=map_parts(routine.steps, lambda part: change(part, {})),
        )
        written = {form for form in walk_forms(numbered.entry, numbered.steps) if isinstance(form, core.Local)}
        listed = sorted({*numbered.parameters, *written}, key=lambda local: local.index)
        return replace(numbered, locals=tuple(listed))
