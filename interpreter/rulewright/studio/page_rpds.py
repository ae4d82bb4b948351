"""What stands for `rpds` in a page: persistent maps, sets and lists for `referencing` and `jsonschema`, which are small there.

`rpds` is compiled from Rust for each machine, and there is none for a browser.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Self


class HashTrieMap(dict[Any, Any]):
    """A map that is never changed: what would change it gives another."""

    def __hash__(self) -> int:  # type: ignore[override]  # as that of `rpds`, which is hashable
        return hash(frozenset(self.items()))

    @classmethod
    def convert(cls, value: Any) -> "HashTrieMap":
        return value if isinstance(value, cls) else cls(value)

    def insert(self, key: Any, value: Any) -> Self:
        return type(self)({**self, key: value})

    def remove(self, key: Any) -> Self:
        if key not in self:
            raise KeyError(key)
        return type(self)({name: value for name, value in self.items() if name != key})

    def update(self, *many: Mapping[Any, Any], **named: Any) -> Self:  # type: ignore[override]  # as that of `rpds`
        made = dict(self)
        for each in many:
            made.update(each)
        return type(self)({**made, **named})


class HashTrieSet(frozenset[Any]):
    """A set that is never changed."""

    def insert(self, value: Any) -> Self:
        return type(self)(self | {value})

    def remove(self, value: Any) -> Self:
        if value not in self:
            raise KeyError(value)
        return type(self)(self - {value})

    def update(self, *many: Iterable[Any]) -> Self:
        return type(self)(self.union(*many))


class List(tuple[Any, ...]):
    """A list that is never changed, extended at its front."""

    __slots__ = ()

    @property
    def first(self) -> Any:
        return self[0]

    @property
    def rest(self) -> Self:
        return type(self)(self[1:])

    def push_front(self, value: Any) -> Self:
        return type(self)((value, *self))
