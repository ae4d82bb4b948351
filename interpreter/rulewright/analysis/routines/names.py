"""The names of one routine: seen in the whole of it, bound by several lines (manual, Names)."""

import dataclasses
from collections.abc import Iterable, Mapping

from rulewright.analysis import infer
from rulewright.analysis.effects import base
from rulewright.analysis.infer.kinships import widens
from rulewright.analysis.scope import Scope, Variables
from rulewright.diagnostics import Label
from rulewright.frozen import dataclass
from rulewright.program.expressions import Variable
from rulewright.program.types import Type
from rulewright.program.wording import describe
from rulewright.source import Span
from rulewright.syntax.nodes import statements as s
from rulewright.syntax.nodes.expressions import Expression, Name


@dataclass(frozen=True, slots=True)
class Bound:
    """A name, the verb of the line that bound it first (or `parameter`), and where."""

    variable: Variable
    verb: str
    span: Span


@dataclasses.dataclass(eq=False, repr=False)
class Names:
    """What is bound so far.

    Attributes:
        variables: the numbering of the routine.
        changed: names that some line changes with `set`, `add`, `take` or `draw`.
        bound: every name by its text.
        secret: names of secret answers.
        locals: the names seen by lines further down; never changed, for those further up hold what they saw.
    """

    variables: Variables
    changed: frozenset[str] = frozenset()
    bound: dict[str, Bound] = dataclasses.field(default_factory=dict)
    secret: set[str] = dataclasses.field(default_factory=set)
    locals: Mapping[str, Variable] = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        self.locals = {text: each.variable for text, each in self.bound.items()}

    def show(self, name: str, variable: Variable, verb: str, span: Span) -> Variable:
        """Lets the lines further down see a variable under its name."""
        self.bound[name] = Bound(variable, verb, span)
        self.locals = {**self.locals, name: variable}
        return variable

    def parameter(self, name: str, type_: Type, span: Span) -> Variable:
        """A parameter of the routine."""
        return self.show(name, self.variables.new(name, type_), "parameter", span)

    def bind(self, name: Name, type_: Type, verb: str, scope: Scope) -> Variable | None:
        """The variable that a line binds: a new one, or that of the lines above which bind the name too."""
        known = self.bound.get(name.text)
        if known is None:
            if infer.hides(name, scope):
                return None
            return self.show(name.text, self.variables.new(name.text, type_), verb, name.span)
        return known.variable if self.again(name, type_, verb, scope) else None

    def again(self, name: Name, type_: Type, verb: str, scope: Scope) -> bool:
        """Whether a name that is bound may be bound by this line too; reports why not."""
        known = self.bound[name.text]
        first = (Label(known.span, "bound here first"),)
        if known.verb == "parameter":
            message = f"`{name.text}` is a parameter and cannot be bound again"
            scope.report.error("RW0501", name.span, message, help="take another name", secondary=first)
        elif verb == "let" and known.verb == "let":
            message = f"`{name.text}` has a `let` already"
            remedy = f"change it with `set {name.text} to …`"
            scope.report.error("RW0501", name.span, message, help=remedy, secondary=first)
        elif not widens(type_, known.variable.type):
            message = f"`{name.text}` is `{describe(type_)}` here and `{describe(known.variable.type)}` above"
            remedy = "take another name, or declare a type for both with `let`"
            scope.report.error("RW0501", name.span, message, help=remedy, secondary=first)
        else:
            return True
        return False


class Rebinding(Variables):
    """A numbering that gives a name bound above its old number when a line binds it again."""

    def __init__(self, names: Names, name: str) -> None:
        """Goes on with the numbers of the routine."""
        super().__init__(names.variables.all)
        self._name = name
        self._known = names.bound.get(name)
        self.type: Type | None = None

    def new(self, name: str, type_: Type) -> Variable:
        """The old variable for the name, a further one for every other."""
        if self._known is None or name != self._name or self.type is not None:
            return super().new(name, type_)
        self.type = type_
        return self._known.variable


def changed_names(lines: Iterable[s.Line]) -> frozenset[str]:
    """The bare names that these lines change."""
    return frozenset(base(place) for line in lines if (place := _changed(line)) is not None) - {""}


def _changed(line: s.Line) -> Expression | None:
    match line:
        case s.Set(place=place) | s.Change(place=place) | s.Draw(source=place) | s.Shuffle(deck=place):
            return place
        case _:
            return None
