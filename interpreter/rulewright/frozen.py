"""Frozen data classes that load fast.

A program with hundreds of data classes spends most of its start in `dataclasses`, which compiles six methods for
each. Here equality, hash, order, printing and frozenness are shared functions, and `__init__` is compiled when a class
is first used. To type checkers, and to `fields` and `replace`, the classes are those of the standard library. Classes
that change, or that keep what they compute, are `dataclasses.dataclass` itself.
"""

# ruff: noqa: ANN401 - these functions are for instances of any class
from operator import attrgetter, ge, gt, le, lt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    import dataclasses
    from collections.abc import Callable, Iterator
    from typing import Any

    def dataclass(*, frozen: bool, slots: bool, kw_only: bool = False, order: bool = False) -> Callable[[type], type]:
        """`dataclasses.dataclass` for classes that are frozen and have slots."""
        if not frozen or not slots:
            message = "only frozen classes with slots load fast"
            raise TypeError(message)

        def made(cls: type) -> type:
            cls.__doc__ = cls.__doc__ or cls.__name__  # else `dataclasses` writes out every annotation
            cls = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)(cls)
            cls.__init__ = _first_init(cls)
            cls.__eq__, cls.__hash__ = _comparing(cls)
            cls.__setattr__, cls.__delattr__ = _refuse_set, _refuse_delete
            cls.__getstate__, cls.__setstate__ = _state, _first_restore(cls)
            if order:
                cls.__lt__, cls.__le__, cls.__gt__, cls.__ge__ = _ordering(cls)
            if cls.__repr__ is object.__repr__:
                cls.__repr__ = _shown
            return cls

        return made

    def _first_init(cls: type) -> Callable[..., None]:
        """Stands in for `__init__` until the class is used."""

        def init(self: Any, /, *args: Any, **kwargs: Any) -> None:
            cls.__init__ = _compiled_init(cls)
            cls.__init__(self, *args, **kwargs)

        return init

    def _compiled_init(cls: type) -> Callable[..., None]:
        """Sets every field through its slot."""
        known: dict[str, Any] = {}
        plain, named, body = [], [], []
        for field in dataclasses.fields(cls):
            name = field.name
            known[f"_set_{name}"] = getattr(cls, name).__set__
            value = name
            parameter = name
            if field.default is not dataclasses.MISSING:
                known[f"_default_{name}"] = field.default
                parameter = f"{name}=_default_{name}"
            elif field.default_factory is not dataclasses.MISSING:
                known[f"_make_{name}"], known["_missing"] = field.default_factory, dataclasses.MISSING
                parameter = f"{name}=_missing"
                value = f"_make_{name}() if {name} is _missing else {name}"
            (named if field.kw_only else plain).append(parameter)
            body.append(f"_set_{name}(self, {value})")
        if named:
            named.insert(0, "*")
        lines = "\n ".join(body or ["pass"])
        exec(f"def __init__({', '.join(['self', *plain, *named])}):\n {lines}", known)  # noqa: S102 - names of fields
        return known["__init__"]

    def _comparing(cls: type) -> tuple[Callable[[Any, Any], bool], Callable[[Any], int]]:
        names = tuple(field.name for field in dataclasses.fields(cls) if field.compare)
        if not names:
            return (lambda self, other: other.__class__ is self.__class__), (lambda self: hash(self.__class__))
        values = attrgetter(*names)

        def equal(self: Any, other: object) -> bool:
            if other is self:
                return True
            return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

        return equal, (lambda self: hash((self.__class__, values(self))))

    def _ordering(cls: type) -> Iterator[Callable[[Any, Any], bool]]:
        values = attrgetter(*(field.name for field in dataclasses.fields(cls) if field.compare))

        def comparing(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
            return lambda self, other: (
                compare(values(self), values(other)) if other.__class__ is self.__class__ else NotImplemented
            )

        return map(comparing, (lt, le, gt, ge))

    def _shown(self: Any) -> str:
        shown = (f"{each.name}={getattr(self, each.name)!r}" for each in dataclasses.fields(self) if each.repr)
        return f"{type(self).__qualname__}({', '.join(shown)})"

    def _refuse_set(self: Any, name: str, value: object) -> None:  # noqa: ARG001
        message = f"cannot assign to field {name!r}"
        raise dataclasses.FrozenInstanceError(message)

    def _refuse_delete(self: Any, name: str) -> None:  # noqa: ARG001
        message = f"cannot delete field {name!r}"
        raise dataclasses.FrozenInstanceError(message)

    def _state(self: Any) -> tuple[object, ...]:
        return tuple(getattr(self, field.name) for field in dataclasses.fields(self))

    def _first_restore(cls: type) -> Callable[[Any, tuple[object, ...]], None]:
        """Stands in for `__setstate__` until an instance of the class is read back."""

        def restore(self: Any, state: tuple[object, ...]) -> None:
            cls.__setstate__ = _compiled_restore(cls)
            cls.__setstate__(self, state)

        return restore

    def _compiled_restore(cls: type) -> Callable[[Any, tuple[object, ...]], None]:
        """Sets every field through its slot."""
        names = [field.name for field in dataclasses.fields(cls)]
        known = {f"_set_{name}": getattr(cls, name).__set__ for name in names}
        parts = "".join(f"{name}, " for name in names)
        lines = "\n ".join([f"({parts}) = state", *(f"_set_{name}(self, {name})" for name in names)])
        exec(f"def __setstate__(self, state):\n {lines}", known)  # noqa: S102 - names of fields
        return known["__setstate__"]


__all__ = ["dataclass"]
