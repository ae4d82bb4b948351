"""What names, types and boards are called: `the attacker`, `the used weapons`, `the first unit`, `0 to 9`."""

import re
from collections.abc import Iterator, Sequence

from rulewright.chapter.english import MINUS, PLACE
from rulewright.program import declarations as d, expressions as ex, statements as st, types as ty
from rulewright.program.declarations import Program
from rulewright.program.expressions import Binding, Variable
from rulewright.program.wording import a
from rulewright.roles import nodes
from rulewright.telling.conditions import listed, possessive, spoken

_SHORT = 2
_ORDINALS = ("first", "second")
_BINDERS = (ex.Quantifier, ex.Aggregate, ex.Comprehension, ex.TheOnly)
_LEAD_WORDS = "all any again at both by each every from in mine no none of on other some theirs to who yours"
_LEADS = frozenset(_LEAD_WORDS.split())
_QUALITY_WORDS = (
    "after beaten before behind beyond best blind broken chosen due fallen farthest first fresh given gone hidden "
    "highest hurt kept last late least left lost lowest made met most near nearest new next old open own ready second "
    "seen spent stolen stood strongest taken third through unseen weakest whole won worst"
)
_QUALITIES = frozenset(_QUALITY_WORDS.split())
_NOUN_WORDS = (
    "bed being bleed breed building deed evening feed greed heading king landing morning need rating reading ring seed "
    "shed sled speed spring steed string thing wedding weed wing"
)
_NOUNS = frozenset(_NOUN_WORDS.split())
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


class Names:
    """Says what the names of one declaration are called.

    Args:
        program: whose names are meant.
        variables: all names of the declaration.
        parts: the nodes in which they are used.
        parameters: those of the names that callers give.
    """

    def __init__(
        self, program: Program, variables: Sequence[Variable], parts: object, parameters: Sequence[Variable]
    ) -> None:
        self._program = program
        found = [*nodes(parts)]
        bindings = [each for each in found if isinstance(each, Binding)]
        couples = [each.variables for each in bindings if len(each.variables) == len(_ORDINALS)]
        unsaid = {*_said_as_it(found)} - {*parameters}
        self._variables = [each for each in variables if each not in unsaid]
        self._parameters = parameters
        self._couples = [parameters, *couples]

    def called(self, variable: Variable) -> str:
        """What a name stands for; one of a letter or two by its sort, a quality with its sort or between quotes.

        A letter whose sort other names have, too, stands behind it: `unit E`.
        """
        if len(variable.name) <= _SHORT:
            return self._letter(variable)
        name = spoken(variable.name)
        last, stands_alone = name.rpartition(" ")[2], called_alone(name) != name
        sort = self.sort(variable.type)
        if isinstance(variable.type, ty.FlagType) or (not sort and (stands_alone or _is_quality(last))):
            return f"“{name}”"
        if stands_alone:
            return f"the “{name}” {sort}"
        return f"the {name} {sort}" if sort and self._wants_sort(variable.type, last) else f"the {name}"

    def with_sort(self, name: str, type_: ty.Type) -> str:
        """What an attribute is called behind its owner: a quality with its sort, `open boxes`."""
        sort = self.sort(type_)
        words = name.split()
        return f"{name} {sort}" if sort and sort not in words and _is_quality(words[-1]) else name

    def _wants_sort(self, type_: ty.Type, last: str) -> bool:
        match ty.present(type_):
            case ty.CellType():
                return last not in {"cell", "field", "hex", "place", "spot", "square"}
            case ty.PoolType():
                return last not in {"dice", "die", "roll", "throw"}
            case _:
                return _is_quality(last)

    def _letter(self, variable: Variable) -> str:
        noun = self.sort(variable.type)
        known = self._parameters if variable in self._parameters else self._variables
        others = [each for each in known if each.name != variable.name and self._clashes(each, noun)]
        for couple in self._couples:
            alike = [each for each in couple if each and (each == variable or each in others)]
            if len(alike) == len(_ORDINALS) and variable in alike:
                return f"the {_ORDINALS[alike.index(variable)]} {noun}"
        if noun and not others:
            return f"the {noun}"
        letter = self._large(variable.name) if len(variable.name) == 1 else f"“{variable.name}”"
        return f"{noun} {letter}".strip()

    def _large(self, letter: str) -> str:
        """A letter as a capital, unless that is another name."""
        capital = letter.upper()
        return letter if any(each.name == capital for each in self._variables) else capital

    def _clashes(self, other: Variable, noun: str) -> bool:
        return spoken(other.name) == noun or (len(other.name) <= _SHORT and self.sort(other.type) == noun)

    def sort(self, type_: ty.Type) -> str:  # noqa: PLR0911 - one for each sort
        """What sort of thing a value is: `unit`, of several `units`; empty for numbers and what else has no sort."""
        match ty.present(type_):
            case ty.ThingType(kind):
                return plain(kind)
            case ty.CellType(space):
                return "hex" if space == "hex" else "square"
            case ty.DieType():
                return "die"
            case ty.PoolType():
                return "dice"
            case ty.WordType(values) | ty.RecordType(values):
                return plain(values)
            case ty.SetType(member) | ty.ListType(member) | ty.BagType(member):
                return self._several(member)
            case _:
                return ""

    def _several(self, member: ty.Type) -> str:
        match ty.present(member):
            case ty.ThingType(kind) if kind in self._program.kinds:
                return spoken(self._program.kinds[kind].plural).lower()
            case ty.DieType():
                return "dice"
            case ty.ThingType() | ty.CellType() | ty.WordType():
                one = self.sort(member)
                if one.endswith("y") and one[-2:-1] not in {"a", "e", "i", "o", "u"}:
                    return f"{one[:-1]}ies"
                return f"{one}{'es' if one.endswith('x') else 's'}"
            case _:
                return ""


def called_alone(name: str) -> str:
    """A name between quotes, where it begins or ends like a phrase."""
    first, *_, last = [*name.split(" "), name.rpartition(" ")[2]]
    return f"“{name}”" if first in _LEADS or (last in _LEADS and last != first) else name


def plain_name(name: str) -> str:
    """A name of another text without what it is called by there: `bearers` of `ranged.bearers`."""
    return spoken(name.rpartition(".")[2])


def plain(name: str) -> str:
    """The name of a type as people say it: `unit type` of `UnitType`."""
    return spoken(_CAMEL.sub(" ", name)).lower()


def values(type_: ty.Type) -> str:
    """What values a type has, as people say it: `0 to 9`, `unit or none`, `yes or no`."""
    match type_:
        case ty.RecordType(record):
            return plain(record)
        case ty.PoolType():
            return "dice"
        case _:
            said = _FLAG.sub("yes or no", str(type_).replace("..", " to ").replace("?", " or none"))
            return MINUS.sub("−", _NAME.sub(lambda found: plain(found[0]), said))  # noqa: RUF001


_NAME = re.compile(r"[A-Za-z]*[A-Z_][A-Za-z_]*")
_FLAG = re.compile(r"\bflag\b")


def board_of(board: d.Board) -> str:
    """What a board is made of, and how its directions are counted: `squares (x, y), …`, `the plane, measured in cm`."""
    if board.space == "plane":
        bases = f", with bases in {board.bases}" if board.bases != board.unit else ""
        return f"the plane, measured in {board.unit}{bases}" if bases or board.unit != ty.INCHES else "the plane"
    across, down = ("q", "r") if board.space == "hex" else ("x", "y")
    steps = [(_moved(across, right), _moved(down, below)) for right, below in ty.GRIDS[board.space]]
    ways = [f"{number} to ({', '.join(cell)})" for number, cell in enumerate(steps)]
    half = len(ways) // 2
    behind = [str(half)] if board.space == "square" else [str(half + each) for each in (-1, 0, 1)]
    return (
        f"{_CELLS[board.space]}. Directions count clockwise: from ({across}, {down}), {listed(ways)}. "
        f"What faces 0 has {listed(behind)} behind it, what faces 1 the next ones, and so on"
    )


_CELLS = {
    "hex": "hexes (q, r)",
    "square": "squares (x, y), x to the right and y down, which touch by their sides",
    "square8": "squares (x, y), x to the right and y down, which touch by sides and corners",
}


def _moved(axis: str, by: int) -> str:
    return axis + (f" + {by}" if by > 0 else f" − {-by}" if by else "")  # noqa: RUF001


def changed(attribute: str) -> str:
    """What another text may change: `a unit's morale`, `whether a unit is in play`."""
    kind, _, name = attribute.partition("/")
    if not name:
        return f"the {spoken(kind)}"
    owner = a(plain(kind))
    return f"whether {owner} is in play" if name == "gone" else f"{possessive(owner)} {PLACE.get(name, spoken(name))}"


def alone(binding: Binding, said: object) -> Variable | None:
    """The member, where `it` can only mean that one in what is said of it."""
    (one, *others) = binding.variables
    inner = (each for each in nodes(said) if isinstance(each, _BINDERS))
    return None if one is None or others or any(_mentions(each, one) for each in inner) else one


def asked_in(lines: Sequence[object]) -> dict[Variable, st.Ask]:
    """The names that one yes-or-no question sets and nothing else, with the question."""
    asked: dict[Variable, list[st.Ask]] = {}
    for each in lines:
        if isinstance(each, st.Ask) and isinstance(each.shape, st.Whether) and each.everyone is None:
            asked.setdefault(each.variable, []).append(each)
    others = {
        each.place.variable
        for each in lines
        if isinstance(each, st.Assign) and isinstance(each.place, st.VariablePlace)
    }
    return {name: found[0] for name, found in asked.items() if len(found) == 1 and name not in others}


def options_in(lines: Sequence[object]) -> dict[Variable, dict[str, str]]:
    """The titles of the options that a name may stand for, by their ids; an id that has several titles is left out."""
    found: dict[Variable, dict[str, set[str]]] = {}
    for each in lines:
        match each:
            case (
                st.Ask(variable=variable, shape=st.Choose(options))
                | st.AskAll(answers=variable, question=st.Ask(shape=st.Choose(options)))
            ):
                titles = found.setdefault(variable, {})
                for option in options:
                    titles.setdefault(option.id, set()).add(option.title or spoken(option.id))
    return {
        name: {option: title for option, (title, *others) in titles.items() if not others}
        for name, titles in found.items()
    }


def _said_as_it(found: Sequence[object]) -> Iterator[Variable]:
    """Names that are never said, their member being `it` wherever it is spoken of."""
    inner = {id(each.binding): each for each in found if isinstance(each, (*_BINDERS, d.Selection))}
    named = set()
    for each in found:
        if isinstance(each, Binding) and not _is_it(each, inner.get(id(each))):
            named |= {*each.variables}
    yield from {one for each in found if isinstance(each, Binding) for one in each.variables if one} - named


def _is_it(binding: Binding, binder: object) -> bool:
    said = (binding.where, *(getattr(binder, name, None) for name in ("body", "value", "conditions")))
    return binder is not None and all(each is None or alone(binding, each) is not None for each in said)


def _mentions(node: object, variable: Variable) -> bool:
    return any(isinstance(each, ex.Local) and each.variable == variable for each in nodes(node))


def _is_quality(word: str) -> bool:
    return word in _QUALITIES or (word.endswith(("ed", "ing")) and word not in _NOUNS)
