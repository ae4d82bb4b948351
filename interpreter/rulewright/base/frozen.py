"""Frozen data classes that load fast.

A program with hundreds of data classes spends most of its start in `dataclasses`, which compiles six methods for
each. Here equality, hash, order, printing and frozenness are shared functions, and `__init__` is compiled once for all
classes of the same shape, when one of them is first used. To type checkers, and to `fields` and `replace`, the classes
are those of the standard library. Mutable classes, and classes with cached properties, use `dataclasses.dataclass`.
"""

from operator import attrgetter, ge, gt, le, lt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass, replace
else:
    import dataclasses
    from collections.abc import Callable, Iterator
    from functools import cache
    from types import CodeType, FunctionType
    from typing import Any

    def dataclass(*, frozen: bool, slots: bool, kw_only: bool = False, order: bool = False) -> Callable[[type], type]:
        """`dataclasses.dataclass` for classes that are frozen and have slots."""
        if not frozen or not slots:
            raise TypeError("only frozen classes with slots load fast")

        def decorate_class(cls: type) -> type:
            cls.__doc__ = cls.__doc__ or cls.__name__  # else `dataclasses` formats every annotation
            cls = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)(cls)
            cls.__init__ = _make_lazy_init(cls)
            cls.__eq__, cls.__hash__ = _make_equality(cls)
            cls.__setattr__, cls.__delattr__ = _refuse_assignment, _refuse_deletion
            cls.__getstate__, cls.__setstate__ = _make_state_reader(cls), _make_lazy_restore(cls)
            if order:
                cls.__lt__, cls.__le__, cls.__gt__, cls.__ge__ = _make_ordering(cls)
            if cls.__repr__ is object.__repr__:
                cls.__repr__ = _render_repr
            return cls

        return decorate_class

    def _make_lazy_init(cls: type) -> Callable[..., None]:
        """An `__init__` that puts the real one in its place when the class is first used."""

        def init(self: Any, /, *args: Any, **kwargs: Any) -> None:
            cls.__init__ = _compile_init(cls)
            cls.__init__(self, *args, **kwargs)

        return init

    def _compile_init(cls: type) -> Callable[..., None]:
        """The `__init__` of a class, which sets every field through its slot."""
        fields = sorted(dataclasses.fields(cls), key=lambda field: field.kw_only)
        named = sum(field.kw_only for field in fields)
        known: dict[str, Any] = {"missing": dataclasses.MISSING}
        makers, defaults, named_defaults = [], [], {}
        for place, field in enumerate(fields):
            known[f"set{place}"] = getattr(cls, field.name).__set__
            if field.default_factory is not dataclasses.MISSING:
                known[f"make{place}"] = field.default_factory
                makers.append(place)
            elif field.default is dataclasses.MISSING:
                continue
            if field.kw_only:
                named_defaults[field.name] = field.default
            else:
                defaults.append(field.default)
        shape = _compile_init_code(len(fields) - named, named, tuple(makers))
        code = shape.replace(co_varnames=("self", *(field.name for field in fields)))
        init = FunctionType(code, known, "__init__", tuple(defaults))
        init.__kwdefaults__ = named_defaults
        return init

    @cache
    def _compile_init_code(plain: int, named: int, makers: tuple[int, ...]) -> CodeType:
        """The code of `__init__` for so many parameters by position and by name; names are filled in later."""
        parameters = [f"value{place}" for place in range(plain + named)]
        values = [
            f"make{place}() if {name} is missing else {name}" if place in makers else name
            for place, name in enumerate(parameters)
        ]
        lines = [f"set{place}(self, {value})" for place, value in enumerate(values)]
        if named:
            parameters.insert(plain, "*")
        return _compile_function("__init__", ["self", *parameters], lines or ["pass"])

    def _make_equality(cls: type) -> tuple[Callable[[Any, Any], bool], Callable[[Any], int]]:
        names = tuple(field.name for field in dataclasses.fields(cls) if field.compare)
        if not names:
            return (lambda self, other: other.__class__ is self.__class__), (lambda self: hash(self.__class__))
        values = attrgetter(*names)

        def equal(self: Any, other: object) -> bool:
            if other is self:
                return True
            return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

        return equal, (lambda self: hash((self.__class__, values(self))))

    def _make_ordering(cls: type) -> Iterator[Callable[[Any, Any], bool]]:
        values = attrgetter(*(field.name for field in dataclasses.fields(cls) if field.compare))

        def comparing(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
            return lambda self, other: (
                compare(values(self), values(other)) if other.__class__ is self.__class__ else NotImplemented
            )

        return map(comparing, (lt, le, gt, ge))

    def _render_repr(self: Any) -> str:
        shown = (f"{field.name}={getattr(self, field.name)!r}" for field in dataclasses.fields(self) if field.repr)
        return f"{type(self).__qualname__}({', '.join(shown)})"

    def _refuse_assignment(self: Any, name: str, value: object) -> None:  # noqa: ARG001
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")

    def _refuse_deletion(self: Any, name: str) -> None:  # noqa: ARG001
        raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")

    def _make_state_reader(cls: type) -> Callable[[Any], tuple[object, ...]]:
        """A `__getstate__`: the values of all fields, in order."""
        names = [field.name for field in dataclasses.fields(cls)]
        if not names:
            return lambda _: ()
        values = attrgetter(*names)
        if len(names) == 1:
            return lambda self: (values(self),)
        return lambda self: values(self)  # noqa: PLW0108 - a method, which a getter is not

    def _make_lazy_restore(cls: type) -> Callable[[Any, tuple[object, ...]], None]:
        """A `__setstate__` that puts the real one in its place when an instance is first unpickled."""

        def restore(self: Any, state: tuple[object, ...]) -> None:
            cls.__setstate__ = _compile_restore(cls)
            cls.__setstate__(self, state)

        return restore

    def _compile_restore(cls: type) -> Callable[[Any, tuple[object, ...]], None]:
        fields = dataclasses.fields(cls)
        places = {f"set{place}": getattr(cls, field.name).__set__ for place, field in enumerate(fields)}
        return FunctionType(_compile_restore_code(len(fields)), places, "__setstate__")

    def replace(node: Any, /, **changes: Any) -> Any:
        """`dataclasses.replace`, several times as fast for the classes of this module."""
        names = _list_field_names(node.__class__)
        if names is None:
            return dataclasses.replace(node, **changes)
        values = dict(zip(names, node.__getstate__(), strict=True)) | changes
        if len(values) != len(names):
            raise TypeError(f"{node.__class__.__name__} has no field {', '.join(values.keys() - {*names})}")
        result = object.__new__(node.__class__)
        result.__setstate__(tuple(values.values()))
        return result

    @cache
    def _list_field_names(cls: type) -> tuple[str, ...] | None:
        """Names of the fields of a class of this module, in order; none for another class."""
        ours = cls.__dict__.get("__delattr__") is _refuse_deletion
        return tuple(field.name for field in dataclasses.fields(cls)) if ours else None

    @cache
    def _compile_restore_code(count: int) -> CodeType:
        """The code of `__setstate__` for so many fields."""
        parts = "".join(f"value{place}, " for place in range(count))
        lines = [f"({parts}) = state", *(f"set{place}(self, value{place})" for place in range(count))]
        return _compile_function("__setstate__", ["self", "state"], lines)

    def _compile_function(name: str, parameters: list[str], lines: list[str]) -> CodeType:
        known: dict[str, Any] = {}
        exec(f"def {name}({', '.join(parameters)}):\n {'; '.join(lines)}", known)  # noqa: S102 - only numbers vary
        return known[name].__code__


__all__ = ["dataclass", "replace"]
