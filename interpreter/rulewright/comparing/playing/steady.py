"""Which expressions come to a value wherever they are read: they cannot fail, and nobody is asked for them."""

from rulewright.machine.walk import nodes
from rulewright.program import expressions as ex
from rulewright.program.declarations import Paths, Program

_MAY_FAIL = (ex.TheOnly, ex.Entry, ex.Narrowed, ex.ExternalValue, ex.PlaneAttribute, ex.Rounded, ex.SideAttribute)
_TOTAL = frozenset({"connected", "min", "max", "abs", "occupants", "removed", "pairs", "adjacent", "neighbours"})


class Steady:
    """Judges the expressions of one program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._functions: dict[str, bool] = {}

    def is_steady(self, node: object) -> bool:
        """Whether it never fails and asks nobody, through functions too; a function that calls itself may fail."""
        return all(map(self._is_steady, nodes(node)))

    def _is_steady(self, node: object) -> bool:
        match node:
            case ex.CallFunction(function=name) | ex.DerivedAttribute(function=name):
                return self._function(name)
            case ex.StoredAttribute(name=name):
                return name != "at"
            case ex.Arithmetic(operator=operator):
                return operator != "/"
            case ex.Aggregate(word=word):
                return word in {"count", "sum"}
            case ex.Builtin(name=name):
                return name in _TOTAL and len(node.arguments) > 1
            case _:
                return not isinstance(node, _MAY_FAIL)

    def _function(self, name: str) -> bool:
        if name not in self._functions:
            self._functions[name] = False
            body = self._program.functions[name].body
            self._functions[name] = not isinstance(body, Paths) and self.is_steady(body)
        return self._functions[name]
