"""What the parts of one program read, through functions too, so that only what may have changed is tested again."""

from typing import Any

from rulewright.program import expressions as ex
from rulewright.program.declarations import Program
from rulewright.program.effects import Places, called_by, read_by
from rulewright.roles import nodes


class Footprint:
    """What the parts of one program read, as `effects` names places; an external term without default by its name."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._functions: dict[str, Places] = {}
        self._directly: dict[str, tuple[Places, frozenset[str]]] = {}

    def reads(self, node: Any) -> Places:  # noqa: ANN401
        """Every place an expression, binding or row may read, through functions too."""
        found, called = self._direct(node)
        return found.union(*(self._function(each) for each in called))

    def _direct(self, node: Any) -> tuple[Places, frozenset[str]]:  # noqa: ANN401
        """What is read outside functions, and the functions that are called."""
        found: set[str] = set()
        called: set[str] = set()
        for each in nodes(node):
            if isinstance(each, ex.ExternalValue):
                default = self._program.external_terms[each.external].default
                found |= self.reads(default) if default is not None else {each.external}
            elif isinstance(each, ex.Typed):
                found.update(read_by(each))  # type: ignore[arg-type]
                name = called_by(each)  # type: ignore[arg-type]
                if name:
                    (called if name in self._program.functions else found).add(name)
        return frozenset(found), frozenset(called)

    def _function(self, name: str) -> Places:
        if name not in self._functions:
            found, waiting, known = set[str](), [name], {name}
            while waiting:
                each = waiting.pop()
                if each in self._functions:
                    found |= self._functions[each]
                    continue
                if each not in self._directly:
                    self._directly[each] = self._direct(self._program.functions[each].body)
                places, called = self._directly[each]
                found |= places
                waiting += called - known
                known |= called
            self._functions[name] = frozenset(found)
        return self._functions[name]
