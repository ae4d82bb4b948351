"""Scenario files: what each key of a scenario names, with the columns of tables of cases."""

from collections.abc import Mapping

from rulewright.base.frozen import dataclass
from rulewright.documents.document_nodes import ListNode, MapNode as MappingNode, ScalarNode, walk_nodes
from rulewright.editor.references.answer_forms import AnswerForms, ExpectationForms, ScriptForm
from rulewright.editor.references.declarations import CALLABLE_SPACE
from rulewright.editor.references.document_forms import (
    ANY_FORM,
    ColumnHead,
    DocumentForm,
    KeyForm,
    MappingForm,
    NameSpans,
    TextForm,
    make_settings_form,
    make_state_form,
    make_suffix_name,
    make_value_form,
    make_whole_name,
)
from rulewright.editor.references.name_index import NameRole, NameSpan, RulesetNameTables
from rulewright.program.expressions import Variable
from rulewright.program.types import ThingType, strip_optional
from rulewright.scenarios.case_table import CASE_COLUMN, split_column_keys
from rulewright.scenarios.suite_schema import SCENARIO_KEYS, THEN_KEY

_ROLES_BY_KEY = {
    "procedure": NameRole.BEGUN,
    "script": NameRole.ANSWERED,
    "expect": NameRole.EXPECTED,
    "covers": NameRole.CITED,
    "exclude": NameRole.EXCUSED,
    "survivors": NameRole.EXCUSED,
}
"""What names do under a key; under others they are given values."""


class RulesetVocabulary:
    """What documents of a ruleset may say."""

    def __init__(self, names: RulesetNameTables) -> None:
        self.names = names
        self.answer_forms = AnswerForms(names)
        self.expectation_forms = ExpectationForms(self.answer_forms)
        self.state_form = make_state_form(names)
        self.settings_form = make_settings_form(names)


@dataclass(frozen=True, slots=True)
class SuiteForm(DocumentForm):
    """A scenario file."""

    vocabulary: RulesetVocabulary  # of its ruleset
    things: Mapping[str, str]  # the ids in its states, with the sections they stand in

    def enter_mapping(self, node: MappingNode) -> DocumentForm:
        """What its scenarios share stands beside them."""
        below = ScenarioForm(self, named_procedure(node, ""), list_named_procedures(node, ""))
        forms: dict[str, DocumentForm] = {
            "scenarios": MappingForm(lambda _: KeyForm((), below)),
            "states": MappingForm(lambda _: KeyForm((), self.vocabulary.state_form)),
            "exclude": ExclusionForm(self.vocabulary.names),
            "survivors": ExclusionForm(self.vocabulary.names),
        }
        return MappingForm(
            lambda key: KeyForm((), forms[key], _ROLES_BY_KEY.get(key)) if key in forms else below.resolve_key(key)
        )


def named_procedure(node: MappingNode, before: str) -> str:
    """The procedure that a scenario names, else the one that was named around it."""
    named = node.get("procedure")
    return named.written if isinstance(named, ScalarNode) else before


def list_named_procedures(node: MappingNode, before: str) -> tuple[str, ...]:
    """The procedure of a scenario, and all that are named in it."""
    named = (named_procedure(map_node, "") for map_node in walk_nodes(node) if isinstance(map_node, MappingNode))
    return tuple(dict.fromkeys(item for item in (named_procedure(node, before), *named) if item))


@dataclass(frozen=True, slots=True)
class ExclusionForm(DocumentForm):
    """What is let be: a unit or a mutant, which has an address among its words."""

    names: RulesetNameTables

    def resolve_key(self, written: str) -> KeyForm:
        """Only `what` names anything."""
        return KeyForm((), TextForm(self._find_address_names) if written == "what" else ANY_FORM)

    def _find_address_names(self, written: str) -> NameSpans:
        """The names of the addresses that stand between blanks."""
        items: list[NameSpan] = []
        start = 0
        for word in written.split(" "):
            address = word.rstrip(":,")
            if "/" in address or address in self.names.addresses:
                items += [name.moved(start) for name in self.names.addresses.find_names(address)]
            start += len(word) + 1
        return tuple(items)


@dataclass(frozen=True, slots=True)
class ScenarioForm(DocumentForm):
    """A scenario, with those below that share what it says."""

    suite: SuiteForm  # the file
    procedure: str  # the one named here or around it
    procedures: tuple[str, ...] = ()  # with those named below it, which share its roles

    def enter_mapping(self, node: MappingNode) -> DocumentForm:
        """With the procedure that it names."""
        return ScenarioForm(
            self.suite, named_procedure(node, self.procedure), list_named_procedures(node, self.procedure)
        )

    def resolve_key(self, written: str) -> KeyForm:
        """A key of a scenario."""
        return KeyForm((), self._value_form(written), _ROLES_BY_KEY.get(written, NameRole.FILLED))

    def _value_form(self, written: str) -> DocumentForm:
        vocabulary, procedure = self.suite.vocabulary, self.procedure
        names, settings = vocabulary.names, vocabulary.settings_form
        match written:
            case "cases":
                return CaseTableForm(self)
            case "expect":
                return vocabulary.expectation_forms.form_for_procedure(procedure)
            case "with":
                return MappingForm(lambda text: resolve_role(text, self.procedures or (procedure,), names))
            case _ if written == THEN_KEY:
                return self
        forms: dict[str, DocumentForm] = {
            "procedure": TextForm(lambda text: procedure_name_span(text, names)),
            "state": vocabulary.state_form,
            "patch": vocabulary.state_form,
            "settings": settings,
            "matrix": MappingForm(lambda text: KeyForm((), settings if text == "settings" else ANY_FORM)),
            "script": ScriptForm(vocabulary.answer_forms),
            "covers": TextForm(lambda text: clause_name_span(text, names)),
        }
        return forms.get(written, ANY_FORM)


def procedure_name_span(written: str, names: RulesetNameTables) -> NameSpans:
    """A procedure that is begun."""
    return make_suffix_name(written, names.declared.get((CALLABLE_SPACE, written)))


def resolve_role(written: str, procedures: tuple[str, ...], names: RulesetNameTables) -> KeyForm:
    """A parameter of a procedure, or of several that share it, with its value."""
    targets = [names.own_names[each, written] for each in procedures if (each, written) in names.own_names]
    items = [each for one in procedures if (each := find_parameter(written, one, names)) is not None]
    return KeyForm(make_whole_name(written, targets), make_value_form(items[0].type if items else None, names))


def find_parameter(written: str, procedure: str, names: RulesetNameTables) -> Variable | None:
    """The variable that is a parameter of a procedure."""
    procedures = [program.procedures[procedure] for program in names.programs if procedure in program.procedures]
    return next((parameter for one in procedures for parameter in one.parameters if parameter.name == written), None)


def clause_name_span(written: str, names: RulesetNameTables) -> NameSpans:
    """The number of a clause, behind the short name of its document."""
    target = names.clauses.get(written.replace(":", ".", 1))
    start = len(written) - len(target.name) if target else 0
    return () if target is None else (NameSpan(start, len(written), target),)


@dataclass(frozen=True, slots=True)
class CaseTableForm(DocumentForm):
    """Scenarios by name, or a table: a row of columns, then rows of values; both below a scenario."""

    scenario: ScenarioForm

    def resolve_key(self, written: str) -> KeyForm:
        """The name of a case is not a name of the rules."""
        del written
        return KeyForm((), self.scenario)

    def column_heads(self, table: ListNode) -> tuple[ColumnHead, ...]:
        """The columns of a table."""
        head = table.items[0] if table.items else None
        cells = head.items if isinstance(head, ListNode) else ()
        return tuple(
            ColumnHead(cell, *_resolve_column(self.scenario, cell.written))
            for cell in cells
            if isinstance(cell, ScalarNode)
        )


def _resolve_column(scenario: ScenarioForm, written: str) -> tuple[NameSpans, DocumentForm, NameRole]:
    """The names in a path, what it leads to, and what its names do."""
    first, *rest = written.split(".")
    if written == CASE_COLUMN:
        return (), ANY_FORM, NameRole.FILLED
    if first in SCENARIO_KEYS:
        keyed = scenario.resolve_key(first)
        names, things = scenario.suite.vocabulary.names, scenario.suite.things
        known = {rest[1]} if len(rest) > 1 and find_parameter(rest[1], scenario.procedure, names) else ()
        pieces, form = _resolve_key_path(
            keyed.form, split_column_keys(first, rest, {*things, "game", *known}), len(first) + 1
        )
        return pieces, form, keyed.role or NameRole.FILLED
    names, state = scenario.suite.vocabulary.names, scenario.suite.vocabulary.state_form
    variable = find_parameter(first, scenario.procedure, names)
    section = state.resolve_key(first)
    if section.names or section.form is not ANY_FORM:
        pieces, form = _resolve_key_path(section.form, rest, len(first) + 1)
        return (*section.names, *pieces), form, NameRole.FILLED
    own: NameSpans = ()
    plural = scenario.suite.things.get(first, "")
    if not plural and variable is not None and isinstance(strip_optional(variable.type), ThingType):
        own = resolve_role(first, (scenario.procedure,), names).names
        kind = strip_optional(variable.type).kind  # type: ignore[union-attr]
        plural = next((program.kinds[kind].plural for program in names.programs if kind in program.kinds), "")
    pieces, form = _resolve_key_path(state.resolve_key(plural).form.resolve_key(first).form, rest, len(first) + 1)
    return (*own, *pieces), form, NameRole.FILLED


def _resolve_key_path(form: DocumentForm, keys: list[str], start: int) -> tuple[NameSpans, DocumentForm]:
    """The names in keys one below the other, and what stands under the last."""
    items: list[NameSpan] = []
    for key in keys:
        if key.isdecimal() and not form.resolve_key(key).names:
            form = form.item_form(int(key) - 1)
        else:
            keyed = form.resolve_key(key)
            items += [name.moved(start) for name in keyed.names]
            form = keyed.form
        start += len(key) + 1
    return tuple(items), form
