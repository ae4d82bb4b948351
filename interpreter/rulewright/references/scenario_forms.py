"""Scenario files: what each key of a scenario names, with the columns of tables of cases."""

from collections.abc import Mapping

from rulewright.frozen import dataclass
from rulewright.inputs.nodes import Items, Mapping as MappingNode, Scalar, below
from rulewright.program.expressions import Variable
from rulewright.program.types import ThingType, present
from rulewright.references.answer_forms import Answers, ScriptForm
from rulewright.references.declaring import CALLABLES
from rulewright.references.expectation_forms import Expectations
from rulewright.references.forms import ANYTHING, Form, Head, Keyed, Keys, Parsed, Pieces, tail, whole
from rulewright.references.index import Role
from rulewright.references.names import Names, Piece
from rulewright.references.value_forms import settings_form, state_form, value_form
from rulewright.scenarios.case_table import NAME, keys_below
from rulewright.scenarios.schema import OF_SCENARIOS, THEN

_ROLES = {
    "procedure": Role.BEGUN,
    "script": Role.ANSWERED,
    "expect": Role.EXPECTED,
    "covers": Role.CITED,
    "exclude": Role.EXCUSED,
    "survivors": Role.EXCUSED,
}
"""What names do under a key; under others they are given values."""


class Vocabulary:
    """What documents of a ruleset may say."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.answers = Answers(names)
        self.expectations = Expectations(self.answers)
        self.state = state_form(names)
        self.settings = settings_form(names)


@dataclass(frozen=True, slots=True)
class SuiteForm(Form):
    """A scenario file."""

    vocabulary: Vocabulary  # of its ruleset
    things: Mapping[str, str]  # the ids in its states, with the sections they stand in

    def entered(self, node: MappingNode) -> Form:
        """What its scenarios share stands beside them."""
        below = ScenarioForm(self, procedure_of(node, ""), procedures_in(node, ""))
        forms: dict[str, Form] = {
            "scenarios": Keys(lambda _: Keyed((), below)),
            "states": Keys(lambda _: Keyed((), self.vocabulary.state)),
            "exclude": Reasons(self.vocabulary.names),
            "survivors": Reasons(self.vocabulary.names),
        }
        return Keys(lambda key: Keyed((), forms[key], _ROLES.get(key)) if key in forms else below.key(key))


def procedure_of(node: MappingNode, before: str) -> str:
    """The procedure that a scenario names, else the one that was named around it."""
    named = node.get("procedure")
    return named.written if isinstance(named, Scalar) else before


def procedures_in(node: MappingNode, before: str) -> tuple[str, ...]:
    """The procedure of a scenario, and all that are named in it."""
    named = (procedure_of(each, "") for each in below(node) if isinstance(each, MappingNode))
    return tuple(dict.fromkeys(each for each in (procedure_of(node, before), *named) if each))


@dataclass(frozen=True, slots=True)
class Reasons(Form):
    """What is let be: a unit or a mutant, which has an address among its words."""

    names: Names

    def key(self, written: str) -> Keyed:
        """Only `what` names anything."""
        return Keyed((), Parsed(self._found) if written == "what" else ANYTHING)

    def _found(self, written: str) -> Pieces:
        """The names of the addresses that stand between blanks."""
        found: list[Piece] = []
        start = 0
        for word in written.split(" "):
            address = word.rstrip(":,")
            if "/" in address or address in self.names.addresses:
                found += [each.moved(start) for each in self.names.addresses.pieces(address)]
            start += len(word) + 1
        return tuple(found)


@dataclass(frozen=True, slots=True)
class ScenarioForm(Form):
    """A scenario, with those below that share what it says."""

    suite: SuiteForm  # the file
    procedure: str  # the one named here or around it
    procedures: tuple[str, ...] = ()  # with those named below it, which share its roles

    def entered(self, node: MappingNode) -> Form:
        """With the procedure that it names."""
        return ScenarioForm(self.suite, procedure_of(node, self.procedure), procedures_in(node, self.procedure))

    def key(self, written: str) -> Keyed:
        """A key of a scenario."""
        return Keyed((), self._form(written), _ROLES.get(written, Role.FILLED))

    def _form(self, written: str) -> Form:
        vocabulary, procedure = self.suite.vocabulary, self.procedure
        names, settings = vocabulary.names, vocabulary.settings
        match written:
            case "cases":
                return Cases(self)
            case "expect":
                return vocabulary.expectations.of(procedure)
            case "with":
                return Keys(lambda text: role(text, self.procedures or (procedure,), names))
            case _ if written == THEN:
                return self
        forms: dict[str, Form] = {
            "procedure": Parsed(lambda text: procedure_name(text, names)),
            "state": vocabulary.state,
            "patch": vocabulary.state,
            "settings": settings,
            "matrix": Keys(lambda text: Keyed((), settings if text == "settings" else ANYTHING)),
            "script": ScriptForm(vocabulary.answers),
            "covers": Parsed(lambda text: clause(text, names)),
        }
        return forms.get(written, ANYTHING)


def procedure_name(written: str, names: Names) -> Pieces:
    """A procedure that is begun."""
    return tail(written, names.declared.get((CALLABLES, written)))


def role(written: str, procedures: tuple[str, ...], names: Names) -> Keyed:
    """A parameter of a procedure, or of several that share it, with its value."""
    targets = [names.own[each, written] for each in procedures if (each, written) in names.own]
    found = [each for one in procedures if (each := parameter(written, one, names)) is not None]
    return Keyed(whole(written, targets), value_form(found[0].type if found else None, names))


def parameter(written: str, procedure: str, names: Names) -> Variable | None:
    """The variable that is a parameter of a procedure."""
    procedures = [each.procedures[procedure] for each in names.programs if procedure in each.procedures]
    return next((each for one in procedures for each in one.parameters if each.name == written), None)


def clause(written: str, names: Names) -> Pieces:
    """The number of a clause, behind the short name of its document."""
    target = names.clauses.get(written.replace(":", ".", 1))
    start = len(written) - len(target.name) if target else 0
    return () if target is None else (Piece(start, len(written), target),)


@dataclass(frozen=True, slots=True)
class Cases(Form):
    """Scenarios by name, or a table: a row of columns, then rows of values; both below a scenario."""

    around: ScenarioForm

    def key(self, written: str) -> Keyed:
        """The name of a case is not a name of the rules."""
        del written
        return Keyed((), self.around)

    def heads(self, table: Items) -> tuple[Head, ...]:
        """The columns of a table."""
        head = table.items[0] if table.items else None
        cells = head.items if isinstance(head, Items) else ()
        return tuple(Head(cell, *_column(self.around, cell.written)) for cell in cells if isinstance(cell, Scalar))


def _column(scenario: ScenarioForm, written: str) -> tuple[Pieces, Form, Role]:
    """The names in a path, what it leads to, and what its names do."""
    first, *rest = written.split(".")
    if written == NAME:
        return (), ANYTHING, Role.FILLED
    if first in OF_SCENARIOS:
        keyed = scenario.key(first)
        names, things = scenario.suite.vocabulary.names, scenario.suite.things
        known = {rest[1]} if len(rest) > 1 and parameter(rest[1], scenario.procedure, names) else ()
        pieces, form = _along(keyed.form, keys_below(first, rest, {*things, "game", *known}), len(first) + 1)
        return pieces, form, keyed.role or Role.FILLED
    names, state = scenario.suite.vocabulary.names, scenario.suite.vocabulary.state
    variable = parameter(first, scenario.procedure, names)
    section = state.key(first)
    if section.pieces or section.form is not ANYTHING:
        pieces, form = _along(section.form, rest, len(first) + 1)
        return (*section.pieces, *pieces), form, Role.FILLED
    own: Pieces = ()
    plural = scenario.suite.things.get(first, "")
    if not plural and variable is not None and isinstance(present(variable.type), ThingType):
        own = role(first, (scenario.procedure,), names).pieces
        kind = present(variable.type).kind  # type: ignore[union-attr]
        plural = next((each.kinds[kind].plural for each in names.programs if kind in each.kinds), "")
    pieces, form = _along(state.key(plural).form.key(first).form, rest, len(first) + 1)
    return (*own, *pieces), form, Role.FILLED


def _along(form: Form, keys: list[str], start: int) -> tuple[Pieces, Form]:
    """The names in keys one below the other, and what stands under the last."""
    found: list[Piece] = []
    for key in keys:
        if key.isdecimal() and not form.key(key).pieces:
            form = form.item(int(key) - 1)
        else:
            keyed = form.key(key)
            found += [each.moved(start) for each in keyed.pieces]
            form = keyed.form
        start += len(key) + 1
    return tuple(found), form
