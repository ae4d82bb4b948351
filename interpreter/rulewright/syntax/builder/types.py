"""Types."""

from collections.abc import Callable

from rulewright.syntax.builder.parts import Parts, dotted
from rulewright.syntax.nodes.types import CollectionType, MapType, NamedType, OptionalType, RangeType, TupleType, Type


def build_type(parts: Parts) -> Type:
    """Any type."""
    return _TYPES[parts.rule](parts)


def _bound(parts: Parts) -> int:
    return int("".join(parts.text.split()))


def _range(parts: Parts) -> Type:
    return RangeType(low=parts.one(_bound), high=parts.one(_bound), span=parts.span)


def _named(parts: Parts) -> Type:
    return NamedType(parts.one(dotted), parts.span)


def _optional(parts: Parts) -> Type:
    return OptionalType(parts.one(build_type), parts.span)


def _collection(parts: Parts) -> Type:
    return CollectionType(word=parts.word(), inner=parts.one(build_type), span=parts.span)


def _map(parts: Parts) -> Type:
    return MapType(key=parts.one(build_type), value=parts.one(build_type), span=parts.span)


def _tuple(parts: Parts) -> Type:
    return TupleType(parts.many(build_type), parts.span)


_TYPES: dict[str, Callable[[Parts], Type]] = {
    "range_type": _range,
    "named_type": _named,
    "optional_type": _optional,
    "collection_type": _collection,
    "map_type": _map,
    "tuple_type": _tuple,
}
