"""Forms of scripts, likelihoods and expectations: names in answers, by address or in order."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import walk_nodes
from rulewright.checker.symbols import CALLABLE_SPACE, OTHER_SPACE
from rulewright.documents.answer_scripts import ALWAYS, ANSWER, AT
from rulewright.documents.document_nodes import MapNode, ScalarNode
from rulewright.documents.document_schemas import document_shapes
from rulewright.documents.name_table import CHANGES, EACH, StateSections, map_spellings
from rulewright.editor.document_forms import (
    ANY_FORM,
    DocumentForm,
    KeyForm,
    MappingForm,
    NameSpans,
    TextForm,
    ValueForm,
    WrappedForm,
    make_state_form,
    make_suffix_name,
    make_value_form,
    make_whole_name,
)
from rulewright.editor.name_declarations import PART_SPACE
from rulewright.editor.name_index import NameSpan, NameTarget, RulesetNameTables, find_inner_names
from rulewright.odds.measure_syntax import COUNT_WORDS
from rulewright.program import statements as st
from rulewright.program.declarations import Program
from rulewright.program.types import ListType, Type
from rulewright.program.walk import strip_address_numbers
from rulewright.runtime.codec_protocols import RESULT_KEY
from rulewright.scenarios.expectation_schema import ODDS_KEY, chance_line_types, named_line_types, rolled_line_types


class AnswerForms:
    """Forms of answers by all spellings of a request's address."""

    def __init__(self, names: RulesetNameTables) -> None:
        self.names = names
        self.forms_by_address: dict[str, DocumentForm] = {}
        for program in names.programs:
            for address, form in _list_answer_forms(program, names):
                self.forms_by_address.setdefault(address, form)
        self.keyed_form = MappingForm(self._resolve_answer_key)
        self.likelihood_form = MappingForm(self._resolve_likelihood_key)
        self.unaddressed: DocumentForm = UnaddressedAnswerForm(names)

    def resolve_address(self, written: str) -> str:
        """Whole address of a request from a suffix; empty if there is none."""
        for program in self.names.programs:
            result = document_shapes(program).addresses.resolve(written)
            if isinstance(result, str):
                return result
        return ""

    def address_names(self, written: str) -> NameSpans:
        """Names in the address of a request."""
        address = self.resolve_address(written)
        if not address:
            return ()
        external = self.names.declared.get((CALLABLE_SPACE, address))
        if external is not None:
            return make_suffix_name(written, external)
        return next(
            (
                items
                for item in self.names.addresses.find_matching(address)
                if (items := find_inner_names(written, item))
            ),
            (),
        )

    def answer_form(self, written: str) -> DocumentForm:
        """Form of the answer at an address."""
        return self.forms_by_address.get(strip_address_numbers(self.resolve_address(written)), self.unaddressed)

    def _resolve_answer_key(self, written: str) -> KeyForm:
        return KeyForm(self.address_names(written), RepeatedAnswerForm(self.answer_form(written)))

    def _resolve_likelihood_key(self, written: str) -> KeyForm:
        for program in self.names.programs:
            external = map_spellings([*program.external_procedures, *program.external_terms]).get(written, "")
            target = self.names.declared.get((CALLABLE_SPACE, external))
            if target is not None:
                return KeyForm(
                    make_suffix_name(written, target),
                    LikelihoodForm(_external_answer_form(external, program, self.names)),
                )
        return KeyForm((), ANY_FORM)


@dataclass(frozen=True, slots=True)
class ScriptForm(DocumentForm):
    """A script: a list of answers, with or without addresses, or a mapping by address."""

    answers: AnswerForms

    def resolve_key(self, written: str) -> KeyForm:
        return self.answers.keyed_form.resolve_key(written)

    def item_form(self, position: int) -> DocumentForm:
        del position
        return AnswerForm(self.answers.unaddressed, self.answers)


@dataclass(frozen=True, slots=True)
class AnswerForm(WrappedForm):
    """Item of an ordered script: an answer, or its address with the answer."""

    answers: AnswerForms

    def enter_mapping(self, node: MapNode) -> DocumentForm:
        if ANSWER not in node and ALWAYS not in node:
            return self.form
        at = node.get(AT)
        form = self.answers.answer_form(at.written) if isinstance(at, ScalarNode) else self.form
        parts = {AT: TextForm(self.answers.address_names), ANSWER: form, ALWAYS: form}
        return MappingForm(lambda written: KeyForm((), parts.get(written, ANY_FORM)))


@dataclass(frozen=True, slots=True)
class RepeatedAnswerForm(WrappedForm):
    """An answer, or several under `each` and `always`."""

    def enter_mapping(self, node: MapNode) -> DocumentForm:
        if node.entries and all(key.text in {EACH, ALWAYS} for key, _ in node):
            return MappingForm(lambda written: KeyForm((), AnswerListForm(self.form) if written == EACH else self.form))
        return self.form


@dataclass(frozen=True, slots=True)
class AnswerListForm(DocumentForm):
    """A list of answers."""

    form: DocumentForm  # of an item

    def item_form(self, position: int) -> DocumentForm:
        del position
        return self.form


class UnaddressedAnswerForm(DocumentForm):
    """Answer without an address: names are guessed by their spelling."""

    def __init__(self, names: RulesetNameTables) -> None:
        self._names = names

    @cached_property
    def _targets_by_name(self) -> dict[str, list[NameTarget]]:
        result: dict[str, list[NameTarget]] = {}
        for (space, _), name_target in self._names.declared.items():
            if (space == PART_SPACE and name_target.sort in {"word", "option"}) or name_target.sort == "handler":
                result.setdefault(name_target.name, []).append(name_target)
        return result

    def names_in_text(self, written: str) -> NameSpans:
        name = written.partition("(")[0]
        return _make_unsure_names(name, self._targets_by_name.get(name, ()))

    def resolve_key(self, written: str) -> KeyForm:
        parts = [name_target for (_, name), name_target in self._names.attributes.items() if name == written]
        records = [part for part in parts if part.sort == "result" or _is_record_part(part, self._names)]
        form = make_state_form(self._names) if written == CHANGES else self
        return KeyForm(_make_unsure_names(written, [*records, *self._names.find_words(written)]), form)


def _make_unsure_names(written: str, targets: Sequence[NameTarget]) -> NameSpans:
    return tuple(replace(name_span, is_sure=False) for name_span in make_whole_name(written, targets))


def _is_record_part(target: NameTarget, names: RulesetNameTables) -> bool:
    owner = target.address.rpartition(".")[0]
    return any(owner in program.records for program in names.programs)


def _list_answer_forms(program: Program, names: RulesetNameTables) -> Iterator[tuple[str, DocumentForm]]:
    for node in walk_nodes(program):
        match node:
            case st.Ask(address=address, shape=st.Choose(options=options)):
                targets = {option.id: names.declared.get((PART_SPACE, option.address)) for option in options}
                yield (
                    strip_address_numbers(address),
                    TextForm(lambda written, addresses=targets: make_whole_name(written, [addresses.get(written)])),  # type: ignore[misc]
                )
            case st.Ask(address=address, variable=variable) | st.Draw(address=address, variable=variable):
                yield strip_address_numbers(address), ValueForm(variable.type, names)
            case st.Roll(address=address, variable=variable):
                yield strip_address_numbers(address), ValueForm(variable.type, names)
            case st.PerformExternal(address=address, external=external):
                yield strip_address_numbers(address), _external_answer_form(external, program, names)
            case st.Trigger(address=address) | st.Remove(address=address):
                yield strip_address_numbers(address), TextForm(lambda written: handler_name_span(written, names))
    for name in program.external_terms:
        yield name, _external_answer_form(name, program, names)


def _external_answer_form(external: str, program: Program, names: RulesetNameTables) -> DocumentForm:
    term = program.external_terms.get(external)
    if term is not None:
        return ValueForm(term.type, names)
    return ExternalAnswerForm(make_value_form(program.external_procedures[external].result, names), names)


@dataclass(frozen=True, slots=True)
class ExternalAnswerForm(WrappedForm):
    """Answer of an external: its result, or a mapping with result and changes."""

    names: RulesetNameTables

    def resolve_key(self, written: str) -> KeyForm:
        result = self.form.resolve_key(written)
        if result.names:
            return result
        forms = {RESULT_KEY: self.form, CHANGES: make_state_form(self.names)}
        return KeyForm((), forms.get(written, result.form))


@dataclass(frozen=True, slots=True)
class LikelihoodForm(DocumentForm):
    """Answers with probabilities: a mapping, or a list of mappings."""

    form: DocumentForm  # of an answer

    def resolve_key(self, written: str) -> KeyForm:
        return KeyForm(self.form.names_in_text(written), ANY_FORM)

    def item_form(self, position: int) -> DocumentForm:
        del position
        return MappingForm(lambda written: KeyForm((), self.form if written == ANSWER else ANY_FORM))


def handler_name_span(written: str, names: RulesetNameTables) -> NameSpans:
    """Name of a handler as offered: `fight_on(hammer)`."""
    called = written.partition("(")[0]
    return make_suffix_name(called, names.declared.get((OTHER_SPACE, called)))


_ADDRESS_KEYS = ("at", "when")
_BACKTICKED_PATTERN = re.compile(r"`([^`]+)`")
_OWNING_THING_PATTERN = re.compile(r" of `([^`]+)`")
_CONDITION_WORD_PATTERN = re.compile(r"(?<![\w.])[A-Za-z_]\w*|(?<=\.)[A-Za-z_]\w*")
_CALL_PATTERN = re.compile(r" ?\(")
_COUNTED_PATTERN = re.compile(rf"\b(?:{'|'.join(COUNT_WORDS)})\s*\([^()]*\Z")
_CALLED_SORTS = frozenset({"term", "external term", "tally", "decide", "table", "paths"})
_OWNER_PATTERN = re.compile(r"(\w+)\.\Z")
_BOUND_NAMES_PATTERN = re.compile(r"\beach\s+\(?([\w, ]+?)\)?\s+in\b")


class ExpectationForms:
    """Forms of `expect` in scenarios of a ruleset."""

    def __init__(self, answers: AnswerForms) -> None:
        self._answers, names = answers, answers.names
        self._state = make_state_form(names)
        addresses = TextForm(names.addresses.find_names)
        likely_values = MappingForm(lambda written: KeyForm(condition_names(written, names), ANY_FORM))
        self._shared_forms: dict[str, DocumentForm] = {
            "state": self._state,
            "changes": self._state,
            "measures": MappingForm(lambda written: _resolve_measure(written, names)),
            "happens": TextForm(lambda written: happening_names(written, names)),
            "asked_of": MappingForm(lambda written: KeyForm(answers.address_names(written), ANY_FORM)),
            "offered": answers.keyed_form,
            "values": MappingForm(_make_line_value_lookup(answers)),
            "decided": MappingForm(
                lambda at: KeyForm(names.addresses.find_names(at), TextForm(lambda id_: row_names(names, at, id_)))
            ),
            "counted": MappingForm(
                lambda at: KeyForm(
                    names.addresses.find_names(at),
                    MappingForm(lambda id_: KeyForm(row_names(names, at, id_), ANY_FORM)),
                )
            ),
            "applied": addresses,
            "not_applied": addresses,
            "rulings": TextForm(lambda written: make_whole_name(written, [names.rulings.get(written)])),
            "always": TextForm(lambda written: condition_names(written, names)),
            ODDS_KEY: MappingForm(lambda written: KeyForm(condition_names(written, names), likely_values)),
        }

    def form_for_scenario(self, procedure: str, things: Mapping[str, str]) -> DocumentForm:
        """Form for scenarios that begin with this procedure, in files whose states have these things."""
        names = self._answers.names
        path = StepPathForm(names, procedure)
        message = TextForm(
            lambda written: message_names(written, names, lambda word: _parameter_name(word, procedure, names), things)
        )
        forms = self._shared_forms | {
            "result": make_value_form(_find_result_type(procedure, names), names),
            "path": path,
            "passed_over": path,
            **dict.fromkeys(("asked", "rejects"), QuestionForm(self._answers, things)),
            **dict.fromkeys(("refused", "invalid", "fault"), message),
        }
        return MappingForm(lambda written: KeyForm((), forms.get(written, ANY_FORM)))


def _parameter_name(written: str, procedure: str, names: RulesetNameTables) -> NameSpans:
    return make_whole_name(written, [names.own_names.get((procedure, written))])


def _find_result_type(procedure: str, names: RulesetNameTables) -> Type | None:
    generator = (program.procedures.get(procedure) for program in names.programs)
    return next((item.result for item in generator if item is not None), None)


def _resolve_measure(written: str, names: RulesetNameTables) -> KeyForm:
    target = names.declared.get((CALLABLE_SPACE, written))
    items = [program.measures[written] for program in names.programs if written in program.measures]
    return KeyForm(
        make_whole_name(written, [target]), MeasureForm(ValueForm(items[0].type, names)) if items else ANY_FORM
    )


@dataclass(frozen=True, slots=True)
class MeasureForm(DocumentForm):
    """Value of a measure, nested by its parameters."""

    value: ValueForm

    def names_in_text(self, written: str) -> NameSpans:
        return self.value.names_in_text(written)

    def resolve_key(self, written: str) -> KeyForm:
        key_form = self.value.resolve_key(written)
        return key_form if key_form.names else KeyForm((), self)


@dataclass(frozen=True, slots=True)
class StepPathForm(DocumentForm):
    """Steps of a procedure, ranges of steps, and calls with nested steps."""

    _names: RulesetNameTables
    _procedure: str

    def names_in_text(self, written: str) -> NameSpans:
        result = self._step_names(written)
        for at in (number for number, item in enumerate(written) if item == "-" and not result):
            low, high = self._step_names(written[:at]), self._step_names(written[at + 1 :])
            if low and high:
                return (*low, *(name_span.moved(at + 1) for name_span in high))
        return result

    def _step_names(self, written: str) -> NameSpans:
        steps = [f"{procedure}/{step}" for procedure, step in self._names.steps]
        ends = [item for item in steps if item == written or item.endswith(f"/{written}")]
        address = f"{self._procedure}/{written}"
        among = [address] if address in ends else ends
        return self._names.addresses.find_names(written, among=among) if among else ()

    def resolve_key(self, written: str) -> KeyForm:
        return KeyForm(
            make_suffix_name(written, self._names.declared.get((CALLABLE_SPACE, written))),
            StepPathForm(self._names, written),
        )


def happening_names(written: str, names: RulesetNameTables) -> NameSpans:
    """Names in the address of a step, statement, question, event, handler or standing rule."""
    return names.addresses.find_names(written) or handler_name_span(written, names)


@dataclass(frozen=True, slots=True)
class QuestionForm(DocumentForm):
    """A question: address, player, arguments and answers."""

    _answers: AnswerForms
    _things: Mapping[str, str]

    def names_in_text(self, written: str) -> NameSpans:
        return self._answers.address_names(written)

    def enter_mapping(self, node: object) -> DocumentForm:
        at = node.get("at")  # type: ignore[attr-defined]
        address = self._answers.resolve_address(at.written) if at is not None else ""
        parts: dict[str, DocumentForm] = {
            address_key: TextForm(self._answers.address_names) for address_key in _ADDRESS_KEYS
        }
        answer = self._answers.answer_form(address)
        parts["because"] = TextForm(
            lambda written: message_names(written, self._answers.names, answer.names_in_text, self._things)
        )
        parts |= {
            "answer": answer,
            "with": ExternalArgumentsForm(self._answers.names, address),
        }
        return MappingForm(lambda written: KeyForm((), parts.get(written, ANY_FORM)))


@dataclass(frozen=True, slots=True)
class ExternalArgumentsForm(DocumentForm):
    """Arguments of an external by parameter."""

    _names: RulesetNameTables
    _address: str  # of the request, or name of the external

    def resolve_key(self, written: str) -> KeyForm:
        own_names = self._names.own_names
        result = [
            name_target
            for (owner, name), name_target in own_names.items()
            if name == written and self._may_be_asked_external(owner)
        ]
        return KeyForm(make_whole_name(written, result), ANY_FORM)

    def _may_be_asked_external(self, owner: str) -> bool:
        is_external = any(owner in program.external_procedures for program in self._names.programs)
        return self._address == owner or (is_external and self._address.rpartition("/")[2].endswith(owner))


def row_names(names: RulesetNameTables, around: str, written: str) -> NameSpans:
    """Names in the address of a row, below `around`."""
    before = len(around) + 1
    result = names.addresses.find_names(f"{around}/{written}")
    return tuple(name_span.moved(-before) for name_span in result if name_span.start >= before)


def _make_line_value_lookup(answers: AnswerForms) -> Callable[[str], KeyForm]:
    names = answers.names
    forms: dict[str, DocumentForm] = {}
    for program in names.programs:
        for item, type_ in {
            **chance_line_types(program),
            **rolled_line_types(program),
            **named_line_types(program),
        }.items():
            forms[strip_address_numbers(item)] = RepeatedValueForm(ValueForm(type_, names))
    forms |= {item: RepeatedValueForm(form) for item, form in answers.forms_by_address.items()}

    def resolve_line_value(written: str) -> KeyForm:
        ends = [each for each in forms if each == written or each.endswith(f"/{written}")]
        return KeyForm(names.addresses.find_names(written, among=ends), forms[ends[0]] if len(ends) == 1 else ANY_FORM)

    return resolve_line_value


@dataclass(frozen=True, slots=True)
class RepeatedValueForm(WrappedForm):
    """A value, or a list of values, one per occasion."""

    def item_form(self, position: int) -> DocumentForm:
        inner = self.form.item_form(position)
        is_list = isinstance(self.form, ValueForm) and isinstance(self.form.type, ListType)
        return RepeatedValueForm(inner) if is_list else self


def message_names(
    written: str,
    names: RulesetNameTables,
    names_here: Callable[[str], NameSpans],
    things: Mapping[str, str],
) -> NameSpans:
    """Names in backticks of an expected message: addresses, what has a name here, and unambiguous names.

    Args:
        written: the message.
        names: of the ruleset.
        names_here: names in a word that mean something only where the message is expected.
        things: their sections of states by id; an id is no name of the rules.
    """
    result: list[NameSpan] = []
    for match in _BACKTICKED_PATTERN.finditer(written):
        word = match[1]
        owner = _OWNING_THING_PATTERN.match(written, match.end())
        if owner is not None and owner[1] in things:
            pieces = _attribute_name(word, things[owner[1]], names)
        elif word in things:
            continue
        elif "/" in word:
            pieces = names.addresses.find_names(word)
        else:
            pieces = names_here(word) or make_whole_name(word, names.find_global_targets(word))
        result += [piece.moved(match.start(1)) for piece in pieces if piece.is_sure]
    return tuple(result)


def _attribute_name(written: str, section: str, names: RulesetNameTables) -> NameSpans:
    """Attribute of the things of a section of states."""
    kinds = (StateSections(program).kinds.get(section) for program in names.programs)
    return make_whole_name(written, [names.attributes.get((kind.name, written)) for kind in kinds if kind is not None])


def condition_names(written: str, names: RulesetNameTables) -> NameSpans:
    """Names in a condition; unsure if several targets have one."""
    bound_names = {item for bound in _BOUND_NAMES_PATTERN.findall(written) for item in re.findall(r"\w+", bound)}
    words = [match for match in _CONDITION_WORD_PATTERN.finditer(written) if match[0] not in bound_names]
    return tuple(
        piece.moved(word.start())
        for word in words
        for piece in make_whole_name(word[0], _select_fitting_targets(word, names.find_global_targets(word[0])))
    )


def _select_fitting_targets(word: re.Match[str], targets: Sequence[NameTarget]) -> Sequence[NameTarget]:
    """Targets that a word of a condition may name where it stands; all, if none fits.

    Behind a dot stands a word of a list, `Suit.hearts`, or an attribute, and elsewhere no attribute and no ruleset. What
    is called has brackets: without them `result` is the result of the procedure, not a table of that name.
    """
    if not _CALL_PATTERN.match(word.string, word.end()) and not _COUNTED_PATTERN.search(word.string, 0, word.start()):
        targets = [target for target in targets if target.sort not in _CALLED_SORTS]
    owner = _OWNER_PATTERN.search(word.string, 0, word.start())
    if owner is None:
        fitting = [target for target in targets if target.sort not in {"attribute", "ruleset"}]
    else:
        sort = "word" if owner[1][0].isupper() else "attribute"
        fitting = [target for target in targets if target.sort == sort]
    return fitting or targets
