"""Walks of core forms, derived from the fields of their classes: a new form or field is walked without being listed.

Origins, types, constants and names of routines are no parts of a form; locals are.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import Field, fields, is_dataclass
from functools import cache
from operator import is_
from typing import Any, Literal, get_args, get_origin

from rulewright.base.frozen import replace
from rulewright.base.node_roles import make_field_reader
from rulewright.program.core import forms
from rulewright.program.core.forms import Expression, Statement, Value

_Reader = Callable[[Any], tuple[Any, ...]]
_STATEMENTS: frozenset[type] = frozenset(get_args(Statement))


def walk_forms(*roots: Any) -> Iterator[Any]:
    """All forms below some forms or tuples of forms, themselves included, each before its parts, in evaluation order."""
    return _walk(roots, _get_part_reader)


def walk_statements(*roots: Any) -> Iterator[Statement]:
    """All statements in some statements, blocks, steps or routines, preorder."""
    return filter(lambda form: form.__class__ in _STATEMENTS, _walk(roots, _get_block_reader))


def walk_expressions(*roots: Any) -> Iterator[Expression]:
    """All expressions that some statements or expressions evaluate themselves, preorder; not those of inner blocks."""
    return filter(lambda form: isinstance(form, Value), _walk(roots, _get_operand_reader))


def list_branches(statement: forms.If) -> list[forms.If]:
    """A branch, and those that stand alone where it does not hold, one inside the other; rows may be hundreds of them."""
    result = [statement]
    while len(statement.other) == 1 and isinstance(statement.other[0], forms.If):
        statement = statement.other[0]
        result.append(statement)
    return result


def is_statement(form: Any) -> bool:
    """Whether a form is a statement."""
    return form.__class__ in _STATEMENTS


def list_parts(form: Any) -> list[Any]:
    """Direct parts of a form, tuples flattened."""
    result: list[Any] = []
    waiting = [*_get_part_reader(form.__class__)(form)]
    while waiting:
        part = waiting.pop()
        if isinstance(part, tuple):
            waiting += part[::-1]
        elif _is_form_class(part.__class__):
            result.append(part)
    return result


def map_parts(form: Any, change: Callable[[Any], Any]) -> Any:
    """Copy of a form or tuple with each direct part replaced by `change`; the same object if none changes."""
    if isinstance(form, tuple):
        row = tuple(_map_part(part, change) for part in form)
        return form if all(map(is_, row, form)) else row
    changed: dict[str, Any] = {}
    for name in _get_part_names(form.__class__):
        was = getattr(form, name)
        now = _map_part(was, change)
        if now is not was:
            changed[name] = now
    return replace(form, **changed) if changed else form


def map_blocks(form: Any, change: Callable[[forms.Block], forms.Block]) -> Any:
    """Copy of a statement, step or routine with each block directly inside replaced by `change`."""
    changed: dict[str, Any] = {}
    for name in _get_block_names(form.__class__):
        was = getattr(form, name)
        if not isinstance(was, tuple):
            now = map_blocks(was, change)
        elif was and was[0].__class__ not in _STATEMENTS:
            now = tuple(map_blocks(step, change) for step in was)
        else:
            now = change(was)
        if now is not was:
            changed[name] = now
    return replace(form, **changed) if changed else form


@cache
def _get_block_names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if _may_hold_statements(_read_annotation(field)))


def _map_part(part: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(part, tuple):
        return map_parts(part, change)
    return change(part) if _is_form_class(part.__class__) and part.__class__ is not forms.RankingType else part


@cache
def _get_part_names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if _may_hold_forms(_read_annotation(field)))


def _walk(roots: tuple[Any, ...], get_reader: Callable[[type], _Reader]) -> Iterator[Any]:
    waiting = [*reversed(roots)]
    while waiting:
        form = waiting.pop()
        if isinstance(form, tuple):
            waiting += form[::-1]
        elif isinstance(form, Mapping):
            waiting += reversed([*form.values()])
        elif _is_form_class(form.__class__):
            yield form
            waiting += get_reader(form.__class__)(form)


@cache
def _is_form_class(kind: type) -> bool:
    return is_dataclass(kind) and kind.__module__ == forms.__name__


@cache
def _get_part_reader(kind: type) -> _Reader:
    return _make_reader(kind, _may_hold_forms)


@cache
def _get_block_reader(kind: type) -> _Reader:
    return _make_reader(kind, _may_hold_statements)


@cache
def _get_operand_reader(kind: type) -> _Reader:
    return _make_reader(kind, lambda annotation: _may_hold_forms(annotation) and not _may_hold_statements(annotation))


def _make_reader(kind: type, is_read: Callable[[Any], bool]) -> _Reader:
    """Reader of the fields with some annotations, last first; types and origins do not count in comparisons."""
    named = (field.name for field in reversed(fields(kind)) if field.compare and is_read(field.type))
    return make_field_reader(tuple(named))


def _read_annotation(field: Field[Any]) -> Any:
    return field.type


@cache
def _may_hold_forms(annotation: Any) -> bool:
    """Whether values of an annotation may hold forms; a text in it names a form that is defined later."""
    if isinstance(annotation, type) and is_dataclass(annotation):
        return _is_form_class(annotation)
    return isinstance(annotation, str) or any(map(_may_hold_forms, _get_arguments(annotation)))


@cache
def _may_hold_statements(annotation: Any) -> bool:
    if isinstance(annotation, type) and is_dataclass(annotation):
        return annotation in _STATEMENTS or (
            _is_form_class(annotation)
            and any(_may_hold_statements(_read_annotation(field)) for field in fields(annotation))
        )
    return annotation == "Statement" or any(map(_may_hold_statements, _get_arguments(annotation)))


def _get_arguments(annotation: Any) -> tuple[Any, ...]:
    return () if get_origin(annotation) is Literal else get_args(annotation)
