"""Answers by the address of what asks for them, or in the order in which they are wanted; likelihoods of answers."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from rulewright.codecs.schemas import RESULT
from rulewright.frozen import dataclass
from rulewright.inputs.document_schemas import shapes_of
from rulewright.inputs.names import CHANGES, EACH, spellings
from rulewright.inputs.nodes import Mapping, Scalar
from rulewright.inputs.script import ALWAYS, ANSWER, AT
from rulewright.program import statements as st
from rulewright.program.declarations import Program
from rulewright.program.walk import shared_address
from rulewright.references.declaring import CALLABLES, OTHERS, PARTS
from rulewright.references.forms import ANYTHING, Around, Form, Keyed, Keys, Parsed, Pieces, tail, whole
from rulewright.references.index import Target
from rulewright.references.names import Names, inside
from rulewright.references.value_forms import Value, state_form, value_form
from rulewright.roles import nodes


class Answers:
    """What may be answered, by every way to write where it is asked."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.forms: dict[str, Form] = {}
        for program in names.programs:
            for address, form in _forms(program, names):
                self.forms.setdefault(address, form)
        self.by_address = Keys(self._keyed)
        self.likelihoods = Keys(self._likely)
        self.loose: Form = Loose(names)

    def address(self, written: str) -> str:
        """The whole address of a request as somebody wrote it; empty where nothing is asked there."""
        for program in self.names.programs:
            found = shapes_of(program).addresses.resolve(written)
            if isinstance(found, str):
                return found
        return ""

    def pieces(self, written: str) -> Pieces:
        """The names in the address of a request."""
        address = self.address(written)
        if not address:
            return ()
        external = self.names.declared.get((CALLABLES, address))
        if external is not None:
            return tail(written, external)
        return next((found for each in self.names.addresses.meant(address) if (found := inside(written, each))), ())

    def form(self, written: str) -> Form:
        """What the answer at an address may be."""
        return self.forms.get(shared_address(self.address(written)), self.loose)

    def _keyed(self, written: str) -> Keyed:
        return Keyed(self.pieces(written), Repeated(self.form(written)))

    def _likely(self, written: str) -> Keyed:
        """An external, and what is said of its answers."""
        for program in self.names.programs:
            external = spellings([*program.external_procedures, *program.external_terms]).get(written, "")
            target = self.names.declared.get((CALLABLES, external))
            if target is not None:
                return Keyed(tail(written, target), Likely(_outcome(external, program, self.names)))
        return Keyed((), ANYTHING)


@dataclass(frozen=True, slots=True)
class ScriptForm(Form):
    """A script: a list of answers, of which some say where they are wanted, or answers by address."""

    answers: Answers

    def key(self, written: str) -> Keyed:
        """An address."""
        return self.answers.by_address.key(written)

    def item(self, position: int) -> Form:
        """An answer."""
        del position
        return AnswerForm(self.answers.loose, self.answers)


@dataclass(frozen=True, slots=True)
class AnswerForm(Around):
    """An answer of a script in order: alone, or with the address at which it is wanted."""

    answers: Answers

    def entered(self, node: Mapping) -> Form:
        """An answer that says at what address it is wanted."""
        if ANSWER not in node and ALWAYS not in node:
            return self.form
        at = node.get(AT)
        form = self.answers.form(at.written) if isinstance(at, Scalar) else self.form
        parts = {AT: Parsed(self.answers.pieces), ANSWER: form, ALWAYS: form}
        return Keys(lambda written: Keyed((), parts.get(written, ANYTHING)))


@dataclass(frozen=True, slots=True)
class Repeated(Around):
    """An answer, or under `each` and `always` several."""

    def entered(self, node: Mapping) -> Form:
        """Several answers."""
        if node.entries and all(key.text in {EACH, ALWAYS} for key, _ in node):
            return Keys(lambda written: Keyed((), Members(self.form) if written == EACH else self.form))
        return self.form


@dataclass(frozen=True, slots=True)
class Members(Form):
    """A list of answers."""

    form: Form  # of one of them

    def item(self, position: int) -> Form:
        """One of them."""
        del position
        return self.form


class Loose(Form):
    """An answer of which nobody says where it is wanted: what it names is told by its spelling alone."""

    def __init__(self, names: Names) -> None:
        self._names = names

    @cached_property
    def _texts(self) -> dict[str, list[Target]]:
        found: dict[str, list[Target]] = {}
        for (space, _), each in self._names.declared.items():
            if (space == PARTS and each.sort in {"word", "option"}) or each.sort == "handler":
                found.setdefault(each.name, []).append(each)
        return found

    def text(self, written: str) -> Pieces:
        """A word, an option, or a handler."""
        name = written.partition("(")[0]
        return _perhaps(name, self._texts.get(name, ()))

    def key(self, written: str) -> Keyed:
        """A part of a record or result, or a word that is a key of a map."""
        parts = [each for (_, name), each in self._names.attributes.items() if name == written]
        records = [each for each in parts if each.sort == "result" or _is_record(each, self._names)]
        form = state_form(self._names) if written == CHANGES else self
        return Keyed(_perhaps(written, [*records, *self._names.word(written)]), form)


def _perhaps(written: str, targets: Sequence[Target]) -> Pieces:
    """What may be named, or a thing that a state calls so."""
    return tuple(replace(each, sure=False) for each in whole(written, targets))


def _is_record(target: Target, names: Names) -> bool:
    owner = target.address.rpartition(".")[0]
    return any(owner in program.records for program in names.programs)


def _forms(program: Program, names: Names) -> Iterator[tuple[str, Form]]:
    """What may be answered at each address."""
    for node in nodes(program):
        match node:
            case st.Ask(address=address, shape=st.Choose(options=options)):
                targets = {each.id: names.declared.get((PARTS, each.address)) for each in options}
                yield shared_address(address), Parsed(lambda written, own=targets: whole(written, [own.get(written)]))  # type: ignore[misc]
            case st.Ask(address=address, variable=variable) | st.Draw(address=address, variable=variable):
                yield shared_address(address), Value(variable.type, names)
            case st.Roll(address=address, variable=variable):
                yield shared_address(address), Value(variable.type, names)
            case st.PerformExternal(address=address, external=external):
                yield shared_address(address), _outcome(external, program, names)
            case st.Trigger(address=address) | st.Remove(address=address):
                yield shared_address(address), Parsed(lambda written: handler(written, names))
    for name in program.external_terms:
        yield name, _outcome(name, program, names)


def _outcome(external: str, program: Program, names: Names) -> Form:
    """What comes of an external."""
    term = program.external_terms.get(external)
    if term is not None:
        return Value(term.type, names)
    return Outcome(value_form(program.external_procedures[external].result, names), names)


@dataclass(frozen=True, slots=True)
class Outcome(Around):
    """What an external answers: its result alone, or that and what it changes."""

    names: Names

    def key(self, written: str) -> Keyed:
        """A named result, the one result, what is changed, or a part of the result alone."""
        found = self.form.key(written)
        if found.pieces:
            return found
        forms = {RESULT: self.form, CHANGES: state_form(self.names)}
        return Keyed((), forms.get(written, found.form))


@dataclass(frozen=True, slots=True)
class Likely(Form):
    """Answers with how likely each is: in a mapping, or in a list of mappings with both."""

    form: Form  # of an answer

    def key(self, written: str) -> Keyed:
        """An answer that is a single value."""
        return Keyed(self.form.text(written), ANYTHING)

    def item(self, position: int) -> Form:
        """An answer with its likelihood."""
        del position
        return Keys(lambda written: Keyed((), self.form if written == ANSWER else ANYTHING))


def handler(written: str, names: Names) -> Pieces:
    """The name of a handler, as it is offered: `fight_on(hammer)`."""
    called = written.partition("(")[0]
    return tail(called, names.declared.get((OTHERS, called)))
