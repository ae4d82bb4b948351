"""Names of variables, types and boards in sentences: `the attacker`, `the first unit`, `0 to 9`."""

import re
from collections.abc import Iterator, Sequence

from rulewright.base.node_roles import walk_nodes
from rulewright.program import declarations as d, expressions as ex, statements as st, types as ty
from rulewright.program.declarations import Program
from rulewright.program.expressions import Binding, Variable
from rulewright.program.wording import add_article
from rulewright.wording.english import ATTRIBUTE_WORDS, MINUS_PATTERN, join_words, make_possessive, speak_name

MAX_LETTER_NAME_LENGTH = 2
_ORDINALS = ("first", "second")
_BINDER_NODES = (ex.Quantifier, ex.Aggregate, ex.Comprehension, ex.TheOnly)
_PHRASE_WORD_LIST = (
    "all any again at been both by each every from here hers his in mine no none now of on other ours over some then theirs "
    "there to was were who yours"
)
_PHRASE_WORDS = frozenset(_PHRASE_WORD_LIST.split())
_ADJECTIVE_LIST = (
    "after beaten before behind beyond best blind bought broken chosen dealt drawn due fallen farthest first found fresh "
    "given gone hidden highest hurt kept last late least left lost lowest made met most near nearest new next old open own "
    "paid ready second seen sent shown slain sold spent stolen stood strongest sunk taken third through thrown unseen weakest "
    "whole won worst"
)
_ADJECTIVES = frozenset(_ADJECTIVE_LIST.split())
_NOUN_LIST = (
    "bed being bleed breed building deed evening feed greed heading king landing morning need rating reading ring seed "
    "shed sled speed spring steed string thing wedding weed wing"
)
_NOUNS_LIKE_PARTICIPLES = frozenset(_NOUN_LIST.split())
_CAMEL_CASE_PATTERN = re.compile(r"(?<=[a-z])(?=[A-Z])")


class VariableNamer:
    """Names of the variables of one declaration.

    Args:
        program: scope of all names.
        variables: of the declaration.
        parts: nodes that use the variables.
        parameters: variables that callers set.
    """

    def __init__(
        self, program: Program, variables: Sequence[Variable], parts: object, parameters: Sequence[Variable]
    ) -> None:
        self._program = program
        items = [*walk_nodes(parts)]
        bindings = [binding for binding in items if isinstance(binding, Binding)]
        couples = [binding.variables for binding in bindings if len(binding.variables) == len(_ORDINALS)]
        unsaid = {*_find_it_variables(items)} - {*parameters}
        self._variables = [variable for variable in variables if variable not in unsaid]
        self._parameters = parameters
        self._variable_pairs = [parameters, *couples]
        self._bound_inside: dict[Variable, set[Variable]] = {}
        for node in items:
            if isinstance(binding := getattr(node, "binding", None), Binding):
                inner = {
                    each for item in walk_nodes(node) if isinstance(item, Binding) for each in item.variables if each
                }
                for each in filter(None, binding.variables):
                    self._bound_inside.setdefault(each, set()).update(inner)
        self._path_origins = [item.left for item in items if isinstance(item, d.Paths)]
        self._event_variables = {
            each for item in items if isinstance(item, d.Watch) for each in item.parameters if each not in parameters
        }
        self._phrases: dict[Variable, str] = {}

    def call_variable(self, variable: Variable) -> str:
        """Name of a variable; one or two letters by its sort, an adjective with its sort or in quotes.

        A letter follows its sort if other variables have the same sort: `unit E`. Of two that would be called the same,
        the later one has its own name in quotes.
        """
        if variable not in self._phrases:
            self._phrases[variable] = self._distinguish_name(variable)
        return self._phrases[variable]

    def _distinguish_name(self, variable: Variable) -> str:
        name = self._make_name(variable)
        others = [
            item
            for item in self._variables
            if item.index != variable.index and not self._never_shares_scope(item, variable)
        ]
        if variable in self._event_variables and any(item.name == variable.name for item in others):
            return f"the event's {name.removeprefix('the ')}"
        earlier = [item for item in others if item.index < variable.index and item.name != variable.name]
        if any(self._make_name(item) == name for item in earlier):
            if len(variable.name) == 1:
                return f"{self.sort_word(variable.type)} {self._capital_letter(variable.name)}".strip()
            return " ".join(["the", *self.sort_word(variable.type).split(), f"“{variable.name}”"])
        return name

    def _make_name(self, variable: Variable) -> str:
        if variable in self._path_origins:
            return f"the previous {self.sort_word(variable.type)}"
        if len(variable.name) <= MAX_LETTER_NAME_LENGTH:
            return self._call_letter_name(variable)
        name = speak_name(variable.name)
        last, stands_alone = name.rpartition(" ")[2], quote_phrase_name(name) != name
        sort = self.sort_word(variable.type)
        if isinstance(variable.type, ty.FlagType) or (not sort and (stands_alone or _is_adjective(last))):
            return f"“{name}”"
        if stands_alone:
            return f"the “{name}” {sort}"
        is_needed = sort and sort not in name.split() and self._needs_sort_word(variable.type, last)
        return f"the {name} {sort}" if is_needed else f"the {name}"

    def add_sort_word(self, name: str, type_: ty.Type) -> str:
        """Name of an attribute after its owner; an adjective with its sort, `open boxes`."""
        sort = self.sort_word(type_)
        words = name.split()
        return f"{name} {sort}" if sort and sort not in words and _is_adjective(words[-1]) else name

    def _needs_sort_word(self, type_: ty.Type, last: str) -> bool:
        match ty.strip_optional(type_):
            case ty.CellType():
                return last not in {"cell", "field", "hex", "place", "spot", "square"}
            case ty.PoolType():
                return last not in {"dice", "die", "roll", "throw"}
            case _:
                return _is_adjective(last)

    def _call_letter_name(self, variable: Variable) -> str:
        noun = self.sort_word(variable.type)
        known = self._parameters if variable in self._parameters else self._variables
        others = [item for item in known if item.name != variable.name and self._has_same_noun(item, noun)]
        for couple in self._variable_pairs:
            alike = [item for item in couple if item and (item == variable or item in others)]
            if noun and len(alike) == len(_ORDINALS) and variable in alike and not self._is_second_pair(couple, noun):
                return f"the {_ORDINALS[alike.index(variable)]} {noun}"
        if noun and not others and not self._is_of_all(variable.type):
            return f"the {noun}"
        if self._is_of_all(variable.type):
            return f"the {noun} “{variable.name}”"
        letter = self._capital_letter(variable.name) if len(variable.name) == 1 else f"“{variable.name}”"
        return f"{noun} {letter}".strip()

    def _is_second_pair(self, couple: Sequence[Variable | None], noun: str) -> bool:
        """Whether another pair is called the first and the second already."""
        taken = [item for item in self._parameters if self._has_same_noun(item, noun)]
        around = (pair for pair in self._variable_pairs if pair is not self._parameters and pair != couple)
        is_inner = any(
            each in self._bound_inside.get(one, ()) for pair in around for one in pair if one for each in couple
        )
        return couple is not self._parameters and (len(taken) == len(_ORDINALS) or is_inner)

    def _never_shares_scope(self, one: Variable, other: Variable) -> bool:
        """Whether two members are never in scope together."""
        inside = self._bound_inside
        return one in inside and other in inside and other not in inside[one] and one not in inside[other]

    def _is_of_all(self, type_: ty.Type) -> bool:
        """Whether its sort alone would mean all things of a kind."""
        match ty.strip_optional(type_):
            case ty.SetType(member) | ty.ListType(member) | ty.BagType(member):
                return isinstance(ty.strip_optional(member), ty.ThingType)
            case _:
                return False

    def _capital_letter(self, letter: str) -> str:
        capital = letter.upper()
        return letter if any(variable.name == capital for variable in self._variables) else capital

    def _has_same_noun(self, other: Variable, noun: str) -> bool:
        return speak_name(other.name) == noun or (
            len(other.name) <= MAX_LETTER_NAME_LENGTH and self.sort_word(other.type) == noun
        )

    def sort_word(self, type_: ty.Type) -> str:
        """Noun of a type: `unit`, of collections `units`; empty for numbers and others without a noun."""
        match ty.strip_optional(type_):
            case ty.ThingType(kind):
                return plain_type_name(kind)
            case ty.CellType(space):
                return "hex" if space == "hex" else "square"
            case ty.DieType():
                return "die"
            case ty.PoolType():
                return "dice"
            case ty.WordType(values) | ty.RecordType(values):
                return plain_type_name(values)
            case ty.SetType(member) | ty.ListType(member) | ty.BagType(member):
                return self._plural_sort_word(member)
            case _:
                return ""

    def _plural_sort_word(self, member: ty.Type) -> str:
        match ty.strip_optional(member):
            case ty.ThingType(kind) if kind in self._program.kinds:
                return speak_name(self._program.kinds[kind].plural).lower()
            case ty.DieType():
                return "dice"
            case ty.ThingType() | ty.CellType() | ty.WordType():
                one = self.sort_word(member)
                if one.endswith("y") and one[-2:-1] not in {"a", "e", "i", "o", "u"}:
                    return f"{one[:-1]}ies"
                return f"{one}{'es' if one.endswith('x') else 's'}"
            case _:
                return ""


def quote_phrase_name(name: str) -> str:
    """Name in quotes if it begins or ends like a phrase."""
    first, *_, last = [*name.split(" "), name.rpartition(" ")[2]]
    return f"“{name}”" if first in _PHRASE_WORDS or (last in _PHRASE_WORDS and last != first) else name


def unqualified_name(name: str) -> str:
    """`bearers` of `ranged.bearers`."""
    return speak_name(name.rpartition(".")[2])


def name_board_attribute(name: str, type_: ty.Type) -> str:
    """Noun for an attribute of a cell or side: `the terrain`; a flag, or what is no noun, is quoted: `“woods”`."""
    spoken = speak_name(name)
    is_noun = quote_phrase_name(spoken) == spoken and spoken.rpartition(" ")[2] not in {"down", "off", "out", "up"}
    return f"the {spoken}" if is_noun and not isinstance(type_, ty.FlagType) else f"“{spoken}”"


def plain_type_name(name: str) -> str:
    """`unit type` of `UnitType`."""
    return speak_name(_CAMEL_CASE_PATTERN.sub(" ", name)).lower()


def describe_type_values(type_: ty.Type) -> str:
    """`0 to 9`, `unit or none`, `yes or no`."""
    match type_:
        case ty.RecordType(record):
            return plain_type_name(record)
        case ty.PoolType():
            return "dice"
        case _:
            description = _FLAG_PATTERN.sub("yes or no", str(type_).replace("..", " to ").replace("?", " or none"))
            return MINUS_PATTERN.sub("−", _TYPE_NAME_PATTERN.sub(lambda match: plain_type_name(match[0]), description))  # noqa: RUF001


_TYPE_NAME_PATTERN = re.compile(r"[A-Za-z]*[A-Z_][A-Za-z_]*")
_FLAG_PATTERN = re.compile(r"\bflag\b")


def describe_board(board: d.Board) -> str:
    """Cells of a board and the order of its directions: `squares (x, y), …`, `the plane, measured in cm`."""
    if board.space == "plane":
        bases = f", with bases in {board.bases}" if board.bases != board.unit else ""
        return f"the plane, measured in {board.unit}{bases}" if bases or board.unit != ty.INCHES else "the plane"
    across, down = ("q", "r") if board.space == "hex" else ("x", "y")
    steps = [
        (_shifted_coordinate(across, right), _shifted_coordinate(down, below))
        for right, below in ty.GRID_STEPS[board.space]
    ]
    directions = [f"{number} to ({', '.join(cell)})" for number, cell in enumerate(steps)]
    half = len(directions) // 2
    behind = [str(half)] if board.space == "square" else [str(half + item) for item in (-1, 0, 1)]
    return (
        f"{_CELL_DESCRIPTIONS[board.space]}. Directions count clockwise: from ({across}, {down}), {join_words(directions)}. "
        f"What faces 0 has {join_words(behind)} behind it, what faces 1 the next ones, and so on"
    )


_CELL_DESCRIPTIONS = {
    "hex": "hexes (q, r)",
    "square": "squares (x, y), x to the right and y down, which touch by their sides",
    "square8": "squares (x, y), x to the right and y down, which touch by sides and corners",
}


def _shifted_coordinate(axis: str, by: int) -> str:
    return axis + (f" + {by}" if by > 0 else f" − {-by}" if by else "")  # noqa: RUF001


def describe_changed_attribute(attribute: str) -> str:
    """What an external may change: `a unit's morale`, `whether a unit is in play`."""
    kind, _, name = attribute.partition("/")
    if not name:
        return f"the {speak_name(kind)}"
    owner = add_article(plain_type_name(kind))
    return (
        f"whether {owner} is in play"
        if name == "gone"
        else f"{make_possessive(owner)} {ATTRIBUTE_WORDS.get(name, speak_name(name))}"
    )


def find_it_variable(binding: Binding, expression: object) -> Variable | None:
    """Variable of a binding if `it` is unambiguous for it in `expression`."""
    (one, *others) = binding.variables
    nodes = [*walk_nodes(expression)]
    inner = (node for node in nodes if isinstance(node, _BINDER_NODES) and not _asks_for_any_member(node))
    is_taken = any(isinstance(node, ex.Itself) for node in nodes)
    return None if one is None or others or is_taken or any(_mentions_variable(item, one) for item in inner) else one


def _asks_for_any_member(node: object) -> bool:
    """`some c in p.hand`, of which only the hand is said."""
    return isinstance(node, ex.Quantifier) and node.body is None and node.binding.where is None


def find_asked_variables(lines: Sequence[object]) -> dict[Variable, st.Ask]:
    """Variables that a single yes-or-no question sets, with the question."""
    questions: dict[Variable, list[st.Ask]] = {}
    for line in lines:
        if isinstance(line, st.Ask) and isinstance(line.shape, st.Whether) and line.everyone is None:
            questions.setdefault(line.variable, []).append(line)
    others = {
        item.place.variable
        for item in lines
        if isinstance(item, st.Assign) and isinstance(item.place, st.VariablePlace)
    }
    return {name: items[0] for name, items in questions.items() if len(items) == 1 and name not in others}


def find_option_titles(lines: Sequence[object]) -> dict[Variable, dict[str, str]]:
    """Option titles by id, by variable; ids with several titles are omitted."""
    mapping: dict[Variable, dict[str, set[str]]] = {}
    for line in lines:
        match line:
            case (
                st.Ask(variable=variable, shape=st.Choose(options))
                | st.AskAll(answers=variable, question=st.Ask(shape=st.Choose(options)))
            ):
                titles = mapping.setdefault(variable, {})
                for option in options:
                    titles.setdefault(option.id, set()).add(option.title or speak_name(option.id))
    return {
        name: {option: title for option, (title, *others) in titles.items() if not others}
        for name, titles in mapping.items()
    }


def _find_it_variables(nodes: Sequence[object]) -> Iterator[Variable]:
    """Variables that are never named because each use can be `it`."""
    inner = {id(each.binding): each for each in nodes if isinstance(each, (*_BINDER_NODES, d.Selection))}
    named = set()
    for item in nodes:
        if isinstance(item, Binding) and not _can_be_it(item, inner.get(id(item))):
            named |= {*item.variables}
    yield from {one for each in nodes if isinstance(each, Binding) for one in each.variables if one} - named


def _can_be_it(binding: Binding, binder: object) -> bool:
    contents = (binding.where, *(getattr(binder, name, None) for name in ("body", "value", "conditions")))
    return binder is not None and all(item is None or find_it_variable(binding, item) is not None for item in contents)


def _mentions_variable(node: object, variable: Variable) -> bool:
    return any(isinstance(inner, ex.Local) and inner.variable == variable for inner in walk_nodes(node))


def _is_adjective(word: str) -> bool:
    return word in _ADJECTIVES or (word.endswith(("ed", "ing")) and word not in _NOUNS_LIKE_PARTICIPLES)
