"""What scenarios expect: steps, questions, rows and values by their addresses."""

import re
from collections.abc import Callable

from rulewright.frozen import dataclass
from rulewright.program.types import ListType, Type
from rulewright.program.walk import shared_address
from rulewright.references.answer_forms import Answers, handler
from rulewright.references.declaring import CALLABLES
from rulewright.references.forms import ANYTHING, Around, Form, Keyed, Keys, Parsed, Pieces, tail, whole
from rulewright.references.names import Names, Piece
from rulewright.references.value_forms import Value, state_form, value_form
from rulewright.scenarios.expectations.shapes import ODDS, chance_lines, named_lines, rolled_lines

_PARTS = ("at", "when")
_QUOTED = re.compile(r"`([^`]+)`")
_WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w*|(?<=\.)[A-Za-z_]\w*")
_BOUND = re.compile(r"\beach\s+\(?([\w, ]+?)\)?\s+in\b")


class Expectations:
    """What stands under `expect` in scenarios of a ruleset."""

    def __init__(self, answers: Answers) -> None:
        self._answers, names = answers, answers.names
        self._state = state_form(names)
        self._of: dict[str, Form] = {}
        addresses = Parsed(names.addresses.pieces)
        likely_values = Keys(lambda written: Keyed(in_condition(written, names), ANYTHING))
        self._shared: dict[str, Form] = {
            "state": self._state,
            "changes": self._state,
            "measures": Keys(lambda written: _measure(written, names)),
            "happens": Parsed(lambda written: happening(written, names)),
            "asked": Question(answers),
            "asked_of": Keys(lambda written: Keyed(answers.pieces(written), ANYTHING)),
            "offered": answers.by_address,
            "rejects": Question(answers),
            "values": Keys(_valued(answers)),
            "decided": Keys(lambda at: Keyed(names.addresses.pieces(at), Parsed(lambda id_: row(names, at, id_)))),
            "counted": Keys(
                lambda at: Keyed(names.addresses.pieces(at), Keys(lambda id_: Keyed(row(names, at, id_), ANYTHING)))
            ),
            "applied": addresses,
            "not_applied": addresses,
            "rulings": Parsed(lambda written: whole(written, [names.rulings.get(written)])),
            **dict.fromkeys(("refused", "invalid", "fault"), Parsed(lambda written: quoted(written, names))),
            "always": Parsed(lambda written: in_condition(written, names)),
            ODDS: Keys(lambda written: Keyed(in_condition(written, names), likely_values)),
        }

    def of(self, procedure: str) -> Form:
        """In a scenario that begins with this procedure."""
        if procedure not in self._of:
            names = self._answers.names
            path = Path(names, procedure)
            result = value_form(_result(procedure, names), names)
            forms = self._shared | {"result": result, "path": path, "passed_over": path}
            self._of[procedure] = Keys(lambda written: Keyed((), forms.get(written, ANYTHING)))
        return self._of[procedure]


def _result(procedure: str, names: Names) -> Type | None:
    found = (program.procedures.get(procedure) for program in names.programs)
    return next((each.result for each in found if each is not None), None)


def _measure(written: str, names: Names) -> Keyed:
    """A measure, with the value, or by its parameters one inside the other."""
    target = names.declared.get((CALLABLES, written))
    found = [program.measures[written] for program in names.programs if written in program.measures]
    return Keyed(whole(written, [target]), Measured(Value(found[0].type, names)) if found else ANYTHING)


@dataclass(frozen=True, slots=True)
class Measured(Form):
    """The value of a measure, below what is given to it."""

    value: Value

    def text(self, written: str) -> Pieces:
        """The value."""
        return self.value.text(written)

    def key(self, written: str) -> Keyed:
        """Something given to it, or a part of the value."""
        found = self.value.key(written)
        return found if found.pieces else Keyed((), self)


@dataclass(frozen=True, slots=True)
class Path(Form):
    """Steps of a procedure and of those that it performs, ranges of them, and calls with their own steps."""

    _names: Names
    _procedure: str

    def text(self, written: str) -> Pieces:
        """A step, or the two ends of a range."""
        found = self._step(written)
        for at in (number for number, each in enumerate(written) if each == "-" and not found):
            low, high = self._step(written[:at]), self._step(written[at + 1 :])
            if low and high:
                return (*low, *(each.moved(at + 1) for each in high))
        return found

    def _step(self, written: str) -> Pieces:
        """A step of this procedure, else of any that performs or is performed."""
        steps = [f"{procedure}/{step}" for procedure, step in self._names.steps]
        ends = [each for each in steps if each == written or each.endswith(f"/{written}")]
        own = f"{self._procedure}/{written}"
        among = [own] if own in ends else ends
        return self._names.addresses.pieces(written, among=among) if among else ()

    def key(self, written: str) -> Keyed:
        """A call."""
        return Keyed(tail(written, self._names.declared.get((CALLABLES, written))), Path(self._names, written))


def happening(written: str, names: Names) -> Pieces:
    """A step, a line, a question, an event, a handler or a standing rule."""
    return names.addresses.pieces(written) or handler(written, names)


@dataclass(frozen=True, slots=True)
class Question(Form):
    """Where something is asked, with by whom, what is given to it, and what is answered."""

    _answers: Answers

    def text(self, written: str) -> Pieces:
        """Where."""
        return self._answers.pieces(written)

    def entered(self, node: object) -> Form:
        """An entry with several parts."""
        at = node.get("at")  # type: ignore[attr-defined]
        address = self._answers.address(at.written) if at is not None else ""
        parts: dict[str, Form] = {each: Parsed(self._answers.pieces) for each in _PARTS}
        parts["because"] = Parsed(lambda written: quoted(written, self._answers.names))
        parts |= {"answer": self._answers.form(address), "with": Given(self._answers.names, address)}
        return Keys(lambda written: Keyed((), parts.get(written, ANYTHING)))


@dataclass(frozen=True, slots=True)
class Given(Form):
    """What an external is given, by its parameters."""

    _names: Names
    _address: str  # where it is asked for, or its name

    def key(self, written: str) -> Keyed:
        """A parameter."""
        own = self._names.own
        found = [each for (owner, name), each in own.items() if name == written and self._may_be(owner)]
        return Keyed(whole(written, found), ANYTHING)

    def _may_be(self, owner: str) -> bool:
        """Whether a declaration is an external that may be asked for there."""
        is_external = any(owner in each.external_procedures for each in self._names.programs)
        return self._address == owner or (is_external and self._address.rpartition("/")[2].endswith(owner))


def row(names: Names, around: str, written: str) -> Pieces:
    """The names in a row as it is written below what it is a row of."""
    before = len(around) + 1
    found = names.addresses.pieces(f"{around}/{written}")
    return tuple(each.moved(-before) for each in found if each.start >= before)


def _valued(answers: Answers) -> Callable[[str], Keyed]:
    """What lines give, by their addresses: what is answered there, or what they work out."""
    names = answers.names
    forms: dict[str, Form] = {}
    for program in names.programs:
        for each, type_ in {**chance_lines(program), **rolled_lines(program), **named_lines(program)}.items():
            forms[shared_address(each)] = Several(Value(type_, names))
    forms |= {each: Several(form) for each, form in answers.forms.items()}

    def keyed(written: str) -> Keyed:
        ends = [each for each in forms if each == written or each.endswith(f"/{written}")]
        return Keyed(names.addresses.pieces(written, among=ends), forms[ends[0]] if len(ends) == 1 else ANYTHING)

    return keyed


@dataclass(frozen=True, slots=True)
class Several(Around):
    """A value, or a list of values, one for each time."""

    def item(self, position: int) -> Form:
        """A member of the value, or a value."""
        inner = self.form.item(position)
        is_list = isinstance(self.form, Value) and isinstance(self.form.type, ListType)
        return Several(inner) if is_list else self


def quoted(written: str, names: Names) -> Pieces:
    """The names in the backticks of an expected message: addresses, and what nothing else is called."""
    found: list[Piece] = []
    for each in _QUOTED.finditer(written):
        pieces = names.addresses.pieces(each[1]) if "/" in each[1] else whole(each[1], names.called(each[1]))
        found += [piece.moved(each.start(1)) for piece in pieces if piece.sure]
    return tuple(found)


def in_condition(written: str, names: Names) -> Pieces:
    """The names in a condition, or in what is asked of the end; which of several of a name is meant is not sure."""
    own = {each for bound in _BOUND.findall(written) for each in re.findall(r"\w+", bound)}
    words = [each for each in _WORD.finditer(written) if each[0] not in own]
    return tuple(piece.moved(each.start()) for each in words for piece in whole(each[0], names.called(each[0])))
