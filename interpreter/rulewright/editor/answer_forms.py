"""Forms of scripts, likelihoods and expectations: names in answers, by address or in order."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

from rulewright.base.node_roles import walk_nodes
from rulewright.checker.symbols import CALLABLE_SPACE, OTHER_SPACE
from rulewright.documents.answer_scripts import ALWAYS, ANSWER, AT, POLICY_KEY
from rulewright.documents.document_nodes import MapNode, ScalarNode
from rulewright.documents.document_schemas import document_shapes
from rulewright.documents.name_table import CHANGES, EACH, StateSections, map_spellings
from rulewright.editor.document_forms import (
    ANY_FORM,
    DocumentForm,
    KeyForm,
    NameSpans,
    make_parts_form,
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
from rulewright.program.types import DieType, ListType, SetType, Type
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
        self.keyed_form = DocumentForm(resolve_key=self._resolve_answer_key)
        self.likelihood_form = DocumentForm(resolve_key=self._resolve_likelihood_key)
        self.unaddressed = _make_unaddressed_form(names)

    def resolve_address(self, written: str) -> str:
        """Whole address of a request from a suffix; empty if there is none."""
        for program in self.names.programs:
            result = document_shapes(program).addresses.resolve(written)
            if isinstance(result, str):
                return result
        return ""

    def find_address_names(self, written: str) -> NameSpans:
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
        return KeyForm(self.find_address_names(written), _make_repeated_answer_form(self.answer_form(written)))

    def _resolve_likelihood_key(self, written: str) -> KeyForm:
        if written == POLICY_KEY:
            return KeyForm((), DocumentForm(lambda policy: policy_names(policy, self)))
        for program in self.names.programs:
            external = map_spellings([*program.external_procedures, *program.external_terms]).get(written, "")
            target = self.names.declared.get((CALLABLE_SPACE, external))
            if target is not None:
                return KeyForm(
                    make_suffix_name(written, target),
                    _make_likelihood_form(_external_answer_form(external, program, self.names)),
                )
        return KeyForm((), ANY_FORM)


def make_script_form(answers: AnswerForms) -> DocumentForm:
    """A script: a list of answers, with or without addresses, or a mapping by address."""

    def enter_item(node: MapNode) -> DocumentForm:
        if ANSWER not in node and ALWAYS not in node:
            return answers.unaddressed
        at = node.get(AT)
        form = answers.answer_form(at.written) if isinstance(at, ScalarNode) else answers.unaddressed
        return make_parts_form({AT: DocumentForm(answers.find_address_names), ANSWER: form, ALWAYS: form})

    item = replace(answers.unaddressed, enter=enter_item, item=answers.unaddressed.item_form)
    return DocumentForm(resolve_key=answers.keyed_form.resolve_key, item=lambda _: item)


def _make_repeated_answer_form(form: DocumentForm) -> DocumentForm:
    """An answer, or several under `each` and `always`."""
    several = make_parts_form({EACH: DocumentForm(item=lambda _: form), ALWAYS: form})

    def enter_answer(node: MapNode) -> DocumentForm:
        return several if node.entries and all(key.text in {EACH, ALWAYS} for key, _ in node) else form

    return replace(form, enter=enter_answer, item=form.item_form)


def _make_unaddressed_form(names: RulesetNameTables) -> DocumentForm:
    """Answer without an address: names are guessed by their spelling."""

    @cache
    def map_targets() -> dict[str, list[NameTarget]]:
        result: dict[str, list[NameTarget]] = {}
        for (space, _), target in names.declared.items():
            if (space == PART_SPACE and target.sort in {"word", "option"}) or target.sort == "handler":
                result.setdefault(target.name, []).append(target)
        return result

    def names_in_text(written: str) -> NameSpans:
        name = written.partition("(")[0]
        guesses = _make_unsure_names(name, map_targets().get(name, ()))
        return guesses or tuple(replace(piece, is_sure=False) for piece in die_names(written, "", names))

    def resolve_key(written: str) -> KeyForm:
        parts = [target for (_, name), target in names.attributes.items() if name == written]
        records = [part for part in parts if part.sort == "result" or _is_record_part(part, names)]
        inner = make_state_form(names) if written == CHANGES else form
        return KeyForm(_make_unsure_names(written, [*records, *names.find_words(written)]), inner)

    form = DocumentForm(names_in_text, resolve_key)
    return form


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
                    DocumentForm(lambda written, addresses=targets: make_whole_name(written, [addresses.get(written)])),  # type: ignore[misc]
                )
            case st.Ask(address=address, variable=variable) if _is_of_dice(variable.type):
                die_form = partial(die_names, routine=address.partition("/")[0], names=names)
                yield strip_address_numbers(address), DocumentForm(die_form)
            case st.Ask() | st.Draw() | st.Roll():
                yield strip_address_numbers(node.address), make_value_form(node.variable.type, names)
            case st.PerformExternal(address=address, external=external):
                yield strip_address_numbers(address), _external_answer_form(external, program, names)
            case st.Trigger(address=address) | st.Remove(address=address):
                yield strip_address_numbers(address), DocumentForm(lambda written: find_handler_names(written, names))
    for name in program.external_terms:
        yield name, _external_answer_form(name, program, names)


def _is_of_dice(type_: Type | None) -> bool:
    return isinstance(type_.item if isinstance(type_, SetType | ListType) else type_, DieType)


def die_names(written: str, routine: str, names: RulesetNameTables) -> NameSpans:
    """Name of the roll or of its part in a die that is picked, `block 5`; `routine` asks for it."""
    name, face, _ = written.partition(" ")
    own = names.own_names.get((routine, name))
    others = [target for (_, word), target in names.own_names.items() if word == name] + [*names.find_words(name)]
    return make_whole_name(name, [own] if own else others) if face else ()


def _external_answer_form(external: str, program: Program, names: RulesetNameTables) -> DocumentForm:
    """Answer of an external: its result, or of a procedure a mapping with result and changes."""
    term = program.external_terms.get(external)
    if term is not None:
        return make_value_form(term.type, names)
    form = make_value_form(program.external_procedures[external].result, names)

    def resolve_part(written: str) -> KeyForm:
        result = form.resolve_key(written)
        if result.names:
            return result
        forms = {RESULT_KEY: form, CHANGES: make_state_form(names)}
        return KeyForm((), forms.get(written, result.form))

    return replace(form, resolve_key=resolve_part, item=form.item_form)


def _make_likelihood_form(form: DocumentForm) -> DocumentForm:
    """Answers of a form with probabilities: a mapping, or a list of mappings."""
    item = make_parts_form({ANSWER: form})
    return DocumentForm(resolve_key=lambda written: KeyForm(form.names_in_text(written), ANY_FORM), item=lambda _: item)


def find_handler_names(written: str, names: RulesetNameTables) -> NameSpans:
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
        addresses = DocumentForm(names.addresses.find_names)
        likely_values = DocumentForm(
            resolve_key=lambda written: KeyForm(find_condition_names(written, names), ANY_FORM)
        )
        self._shared_forms: dict[str, DocumentForm] = {
            "state": self._state,
            "changes": self._state,
            "measures": DocumentForm(resolve_key=lambda written: _resolve_measure(written, names)),
            "happens": DocumentForm(lambda written: happening_names(written, names)),
            "asked_of": DocumentForm(
                resolve_key=lambda written: KeyForm(answers.find_address_names(written), ANY_FORM)
            ),
            "offered": answers.keyed_form,
            "values": DocumentForm(resolve_key=_make_line_value_lookup(answers)),
            "decided": DocumentForm(
                resolve_key=lambda at: KeyForm(
                    names.addresses.find_names(at), DocumentForm(lambda id_: row_names(names, at, id_))
                )
            ),
            "counted": DocumentForm(
                resolve_key=lambda at: KeyForm(
                    names.addresses.find_names(at),
                    DocumentForm(resolve_key=lambda id_: KeyForm(row_names(names, at, id_), ANY_FORM)),
                )
            ),
            "applied": addresses,
            "not_applied": addresses,
            "rulings": DocumentForm(lambda written: make_whole_name(written, [names.rulings.get(written)])),
            "always": DocumentForm(lambda written: find_condition_names(written, names)),
            ODDS_KEY: DocumentForm(
                resolve_key=lambda written: KeyForm(find_condition_names(written, names), likely_values)
            ),
        }

    def form_for_scenario(self, procedure: str, things: Mapping[str, str]) -> DocumentForm:
        """Form for scenarios that begin with this procedure, in files whose states have these things."""
        names = self._answers.names
        path = _make_step_path_form(names, procedure)
        message = DocumentForm(
            lambda written: message_names(written, names, lambda word: _parameter_name(word, procedure, names), things)
        )
        forms = self._shared_forms | {
            "result": make_value_form(_find_result_type(procedure, names), names),
            "path": path,
            "passed_over": path,
            **dict.fromkeys(("asked", "rejects"), _make_question_form(self._answers, things)),
            **dict.fromkeys(("refused", "invalid", "fault"), message),
        }
        return make_parts_form(forms)


def _parameter_name(written: str, procedure: str, names: RulesetNameTables) -> NameSpans:
    return make_whole_name(written, [names.own_names.get((procedure, written))])


def _find_result_type(procedure: str, names: RulesetNameTables) -> Type | None:
    generator = (program.procedures.get(procedure) for program in names.programs)
    return next((item.result for item in generator if item is not None), None)


def _resolve_measure(written: str, names: RulesetNameTables) -> KeyForm:
    target = names.declared.get((CALLABLE_SPACE, written))
    items = [program.measures[written] for program in names.programs if written in program.measures]
    form = _make_measure_form(make_value_form(items[0].type, names)) if items else ANY_FORM
    return KeyForm(make_whole_name(written, [target]), form)


def _make_measure_form(value: DocumentForm) -> DocumentForm:
    """Value of a measure, nested by its parameters."""

    def resolve_argument(written: str) -> KeyForm:
        key_form = value.resolve_key(written)
        return key_form if key_form.names else KeyForm((), form)

    form = DocumentForm(value.names_in_text, resolve_argument)
    return form


def _make_step_path_form(names: RulesetNameTables, procedure: str) -> DocumentForm:
    """Steps of a procedure, ranges of steps, and calls with nested steps."""

    def names_in_range(written: str) -> NameSpans:
        result = step_names(written)
        for at in (number for number, item in enumerate(written) if item == "-" and not result):
            low, high = step_names(written[:at]), step_names(written[at + 1 :])
            if low and high:
                return (*low, *(name_span.moved(at + 1) for name_span in high))
        return result

    def step_names(written: str) -> NameSpans:
        steps = [f"{procedure}/{step}" for procedure, step in names.steps]
        ends = [item for item in steps if item == written or item.endswith(f"/{written}")]
        address = f"{procedure}/{written}"
        among = [address] if address in ends else ends
        return names.addresses.find_names(written, among=among) if among else ()

    def resolve_call(written: str) -> KeyForm:
        called = make_suffix_name(written, names.declared.get((CALLABLE_SPACE, written)))
        return KeyForm(called, _make_step_path_form(names, written))

    return DocumentForm(names_in_range, resolve_call)


def happening_names(written: str, names: RulesetNameTables) -> NameSpans:
    """Names in the address of a step, statement, question, event, handler or standing rule."""
    return names.addresses.find_names(written) or find_handler_names(written, names)


def _make_question_form(answers: AnswerForms, things: Mapping[str, str]) -> DocumentForm:
    """A question: address, player, arguments and answers."""

    def enter_question(node: MapNode) -> DocumentForm:
        at: Any = node.get("at")
        address = answers.resolve_address(at.written) if at is not None else ""
        answer = answers.answer_form(address)
        because = DocumentForm(lambda written: message_names(written, answers.names, answer.names_in_text, things))
        addresses = dict.fromkeys(_ADDRESS_KEYS, DocumentForm(answers.find_address_names))
        arguments = DocumentForm(
            resolve_key=lambda written: _resolve_external_argument(written, address, answers.names)
        )
        return make_parts_form({**addresses, "because": because, "answer": answer, "with": arguments})

    return DocumentForm(answers.find_address_names, enter=enter_question)


def _resolve_external_argument(written: str, address: str, names: RulesetNameTables) -> KeyForm:
    """Parameter of the external that may be asked at an address, which may be its name."""
    externals = {name for program in names.programs for name in program.external_procedures}
    asked = address.rpartition("/")[2]
    targets = [
        target
        for (owner, name), target in names.own_names.items()
        if name == written and (address == owner or (owner in externals and asked.endswith(owner)))
    ]
    return KeyForm(make_whole_name(written, targets), ANY_FORM)


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
            forms[strip_address_numbers(item)] = _make_repeated_value_form(make_value_form(type_, names))
    forms |= {item: _make_repeated_value_form(form) for item, form in answers.forms_by_address.items()}

    def resolve_line_value(written: str) -> KeyForm:
        ends = [each for each in forms if each == written or each.endswith(f"/{written}")]
        return KeyForm(names.addresses.find_names(written, among=ends), forms[ends[0]] if len(ends) == 1 else ANY_FORM)

    return resolve_line_value


def _make_repeated_value_form(form: DocumentForm) -> DocumentForm:
    """A value, or a list of values, one per occasion."""

    def item_form(position: int) -> DocumentForm:
        return _make_repeated_value_form(form.item_form(position)) if form.is_list else repeated

    repeated = replace(form, item=item_form, enter=None)
    return repeated


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


def find_condition_names(written: str, names: RulesetNameTables) -> NameSpans:
    """Names in a condition; unsure if several targets have one."""
    bound_names = {item for bound in _BOUND_NAMES_PATTERN.findall(written) for item in re.findall(r"\w+", bound)}
    words = [match for match in _CONDITION_WORD_PATTERN.finditer(written) if match[0] not in bound_names]
    return tuple(
        piece.moved(word.start())
        for word in words
        for piece in make_whole_name(word[0], _select_fitting_targets(word, names.find_global_targets(word[0])))
    )


def policy_names(written: str, answers: AnswerForms) -> NameSpans:
    """Names in a policy of one question, `red/dice=highest dice`: its address, and those of the expression."""
    who, equals, how = written.partition("=")
    player, slash, question = who.partition("/")
    if not equals or not slash:
        return ()
    at = written.index(question.strip(), len(player) + 1)
    routine = answers.resolve_address(question.strip()).partition("/")[0]
    result = [piece.moved(at) for piece in answers.find_address_names(question.strip())]
    behind = len(who) + 1
    own_words = {
        word.start(): make_whole_name(word[0], [answers.names.own_names.get((routine, word[0]))])
        for word in _CONDITION_WORD_PATTERN.finditer(how)
        if _OWNER_PATTERN.search(how, 0, word.start()) is None and not _CALL_PATTERN.match(how, word.end())
    }
    result += [piece.moved(behind + start) for start, pieces in own_words.items() for piece in pieces]
    result += [
        piece.moved(behind) for piece in find_condition_names(how, answers.names) if not own_words.get(piece.start)
    ]
    return tuple(result)


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
