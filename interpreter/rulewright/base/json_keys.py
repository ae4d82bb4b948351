"""JSON of report classes, by tables of their keys."""

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import reduce
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.base.source import Span

JsonKeys = Mapping[type, str]
"""By class the keys of its JSON object, in order, each the name of a field: `key=field` where these differ, and `a.b` for
a field of a field. With `?` at its end an empty value is null."""


def _encode_no_span(span: Span) -> Any:
    raise TypeError(span)


@dataclass(frozen=True, slots=True)
class KeyedEncoder:
    """Makes JSON of values: of classes by their keys, and what `more` adds to these."""

    keys: JsonKeys
    encode_span: Callable[[Span], Any] = _encode_no_span
    more: Mapping[type, Callable[[Any], Mapping[str, Any]]] = field(default_factory=dict)

    def encode(self, value: Any) -> Any:
        """JSON of a value; what is of no class of the table is JSON already, or holds what is.

        Raises:
            AttributeError: the table names a field that the class does not have.
        """
        kind = type(value)
        if kind in self.keys or kind in self.more:
            document = {}
            for spec in self.keys.get(kind, "").split():
                key, _, path = spec.rstrip("?").partition("=")
                inner = reduce(getattr, (path or key).split("."), value)
                document[key] = None if spec.endswith("?") and not inner else self.encode(inner)
            return document | dict(self.more[kind](value)) if kind in self.more else document
        if isinstance(value, Span):
            return self.encode_span(value)
        if isinstance(value, Mapping):
            return {key: self.encode(inner) for key, inner in value.items()}
        return [self.encode(inner) for inner in value] if isinstance(value, tuple | list) else value
