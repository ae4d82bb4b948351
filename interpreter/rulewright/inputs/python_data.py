"""What keeps data that a program gives from being JSON data, in plain words."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from rulewright.diagnostics import Diagnostic, Severity
from rulewright.inputs.findings import quoted
from rulewright.inputs.nodes import LONGEST_NUMBER, child_pointer
from rulewright.inputs.yaml_places import DEEPEST

_HOLDS = "JSON data hold mappings, lists, texts, numbers, `True`, `False` and `None`"
_LARGEST = 10**LONGEST_NUMBER
_NAMES: Mapping[tuple[type, ...], str] = {
    (int,): "a number",
    (list, tuple): "a list",
    (Mapping,): "a mapping",
    (set, frozenset): "a set",
    (bytes, bytearray): "bytes",
}


def wrong_data(code: str, message: str, remedy: str = "", pointer: str = "") -> Diagnostic:
    """An error of what a program gives."""
    return Diagnostic(code, Severity.ERROR, message, help=remedy, pointer=pointer)


def no_mapping(data: Any, what: str) -> Diagnostic:
    """RW0713 for data that are no mapping."""
    remedy = "read the file first, and give the data in it" if what == "state" and isinstance(data, str) else ""
    return wrong_data("RW0713", f"`{what}` is {_called(data)}; it must be a mapping", remedy)


def no_json(data: Any, what: str) -> Diagnostic | None:
    """Why data are no JSON data: RW0702 (a limit) or RW0713; none where they are."""
    return next(_wrong(data, what, "", ()), None)


def _wrong(data: Any, what: str, pointer: str, around: tuple[int, ...]) -> Iterator[Diagnostic]:
    if not isinstance(data, Mapping | list | tuple):
        yield from _wrong_alone(data, what, pointer)
    elif id(data) in around:
        yield wrong_data("RW0713", f"`{what}` holds itself", "give each value its own copy", pointer)
    elif len(around) > DEEPEST:
        yield wrong_data("RW0702", f"lists and mappings in `{what}` are nested more than {DEEPEST} deep")
    else:
        for key, each in data.items() if isinstance(data, Mapping) else enumerate(data):
            if isinstance(data, Mapping) and not isinstance(key, str):
                message = f"a key in `{what}` is {_called(key)}; it must be a text"
                yield wrong_data("RW0713", message, "put it in quotes", pointer)
            yield from _wrong(each, what, child_pointer(pointer, key), (*around, id(data)))


def _wrong_alone(data: Any, what: str, pointer: str) -> Iterator[Diagnostic]:
    match data:
        case bool() | str() | None:
            return
        case int():
            if abs(data) >= _LARGEST:
                message = f"a number in `{what}` has more than {LONGEST_NUMBER} digits"
                yield wrong_data("RW0702", message, pointer=pointer)
        case float():
            if not math.isfinite(data):
                yield wrong_data("RW0713", f"`{what}` holds `{data}`, which is not a number to count with", "", pointer)
        case _:
            yield wrong_data("RW0713", f"`{what}` holds {_called(data)}, which JSON data cannot hold", _HOLDS, pointer)


def _called(data: Any) -> str:
    """What somebody gave, as they may know it."""
    if isinstance(data, str):
        return f"the text {quoted(data)}"
    if data is None or isinstance(data, bool | float):
        return f"`{data}`"
    names = (name for types, name in _NAMES.items() if isinstance(data, types))
    return next(names, f"a value of the class `{type(data).__name__}`")
