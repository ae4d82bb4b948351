"""Reads the parts of a mapping whose keys are known."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from rulewright.inputs.findings import Findings
from rulewright.inputs.nodes import Items, Key, Mapping, Node, Scalar
from rulewright.inputs.wording import did_you_mean, quoted, shown, there_are

_Kind = TypeVar("_Kind", Scalar, Items, Mapping)
_CALLED = {Items: "a list", Mapping: "a mapping", Scalar: "a text"}


@dataclass(frozen=True, slots=True)
class Named:
    """A text of the file with its place."""

    text: str
    place: Key | Node


def is_text(node: Node) -> bool:
    """Whether this can be read as a text: it is one, or a number."""
    return isinstance(node, Scalar) and node.value is not None and not isinstance(node.value, bool)


@dataclass(frozen=True)
class Fields:
    """A mapping of a scenario file; what is wrong in it is reported.

    RW1001 (a key nobody knows), RW1002 (another sort of value).
    """

    node: Mapping
    findings: Findings

    def known(self, keys: Iterable[str], what: str) -> None:
        """Reports the keys that are not among these."""
        valid = list(keys)
        for key, _ in self.node:
            if key.text not in valid:
                remedy = did_you_mean(key.text, valid) or there_are(valid)
                self.findings.error("RW1001", key, f"{quoted(key.text)} is no part of {what}", help=remedy)

    def text(self, key: str) -> Named | None:
        """A text, or none."""
        node = self._of(key, Scalar)
        if node is None:
            return None
        if not is_text(node):
            self._wrong(key, node, "a text")
            return None
        return Named(node.written, node)

    def number(self, key: str) -> int | None:
        """A whole number from 0, or none."""
        node = self._of(key, Scalar)
        if node is None:
            return None
        if isinstance(node.value, int) and not isinstance(node.value, bool) and node.value >= 0:
            return node.value
        self._wrong(key, node, "a whole number, 0 or more")
        return None

    def mapping(self, key: str) -> Mapping | None:
        """A mapping, or none."""
        return self._of(key, Mapping)

    def texts(self, key: str) -> tuple[Named, ...]:
        """A list of texts; a single text is a list of one."""
        given = self.node.get(key)
        if isinstance(given, Scalar) and isinstance(given.value, str):
            return (Named(given.written, given),)
        return self._texts(key, self._of(key, Items))

    def _texts(self, key: str, node: Items | None) -> tuple[Named, ...]:
        found = []
        for each in node.items if node else ():
            if isinstance(each, Scalar) and is_text(each):
                found.append(Named(each.written, each))
            else:
                self._wrong(key, each, "a text")
        return tuple(found)

    def _of(self, key: str, sort: type[_Kind]) -> _Kind | None:
        node = self.node.get(key)
        if node is None or isinstance(node, sort):
            return node
        self._wrong(key, node, _CALLED[sort])
        return None

    def _wrong(self, key: str, node: Node, wanted: str) -> None:
        self.findings.error("RW1002", node, f"{quoted(key)} is {shown(node)}; it must be {wanted}")
