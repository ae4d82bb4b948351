"""What is left of the edits once everything that means the same is written the same."""

from collections.abc import Iterable, Mapping

from rulewright.comparing.edits import Added, Changed, Edit, Moved, Removed, is_rule
from rulewright.comparing.meaning import canonical
from rulewright.comparing.naming import Name
from rulewright.comparing.outline import Item, Outline
from rulewright.comparing.outlining import outline
from rulewright.comparing.structure import edits_of
from rulewright.frozen import dataclass
from rulewright.program.declarations import Program

_IDLE = frozenset(
    "values die kind record board attribute cell side field setting relation function external event".split()  # noqa: SIM905
)

_BY_ITSELF = frozenset({"attribute", "cell", "side", "field", "step"})


@dataclass(frozen=True, slots=True)
class Remaining:
    """Declarations that are not proved to play alike.

    Attributes:
        old: of the old revision, altered or removed.
        new: of the new one, altered or added.
    """

    old: tuple[Name, ...]
    new: tuple[Name, ...]


def remaining(old: Program, new: Program, names: Mapping[Name, Name]) -> Remaining:
    """What of two programs is not equal once both are written in one way."""
    here = {each.name for each in names if each.sort == "function"}
    there = {each.name for each in names.values() if each.sort == "function"}
    before = outline(canonical(old, names, old.functions.keys() - here), {})
    after = outline(canonical(new, {}, new.functions.keys() - there), {})
    known = {**_numbered(before, names), **names}
    edits = [each for each in edits_of(before, after, known) if is_rule(each) and _matters(each)]
    mine = [each.old for each in edits if isinstance(each, Removed | Moved | Changed)]
    theirs = [each.new for each in edits if isinstance(each, Added | Moved | Changed)]
    return Remaining(_owners(before, mine), _owners(after, theirs))


def _numbered(outline: Outline, names: Mapping[Name, Name]) -> dict[Name, Name]:
    """The variables of the old revision, called by their numbers, under the new names of their declarations."""
    owners = {old.name: new.name for old, new in names.items() if old.sort != "step"}
    said = (token for item in outline.every() for token in (*item.form, item.name))
    variables = (token for token in said if isinstance(token, Name) and token.sort == "local")
    return {each: Name("local", f"{owners.get(each.owner, each.owner)}/{each.last}") for each in variables}


def _matters(edit: Edit) -> bool:
    """Whether an edit can change play by itself: a declaration nobody mentions cannot, only what mentions it."""
    item = edit.new if isinstance(edit, Added) else edit.old if isinstance(edit, Removed) else None
    return item is None or item.name is None or item.name.sort not in _IDLE


def _owners(whole: Outline, items: Iterable[Item]) -> tuple[Name, ...]:
    """The declarations that items stand in, each once."""
    declared = {item.address: item.name for item in whole.items if item.name}
    found: dict[Name, None] = {}
    for item in items:
        own = item.name if item.name and item.name.sort in _BY_ITSELF else None
        owner = own or declared.get(item.address) or declared.get(item.address.partition("/")[0])
        assert owner is not None, item
        found[owner] = None
    return tuple(found)
