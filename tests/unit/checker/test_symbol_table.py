"""The symbol table of a check: what each name of a text means."""

import pytest

from rulewright.base.files import DISK, get_resource_folder
from rulewright.checker.infer.calls import LANGUAGE_FUNCTIONS
from rulewright.checker.name_spaces import PLAIN_TYPES
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.syntax.nodes import expressions as e, statements as s
from rulewright.syntax.nodes.expressions import Dotted, Name, walk_written_nodes
from support.sample_sizes import sample_cases

RULESETS = sorted(each.name for each in get_resource_folder("rulesets").iterdir() if each.is_dir())


LANGUAGE_NAMES = {
    *LANGUAGE_FUNCTIONS, *PLAIN_TYPES, "direction", "gone", "natural", "face", "at", "thing", "self", "other",
}  # fmt: skip


@pytest.mark.parametrize("name", sample_cases(RULESETS, 3))
def test_every_name_is_noted(name: str) -> None:
    loaded = load_ruleset(locate_ruleset(str(get_resource_folder("rulesets") / name)), (), DISK)
    assert loaded.linked is not None
    written = (
        found
        for module in loaded.linked.modules
        for node in walk_written_nodes(module.declarations)
        for found in written_names(node)
    )
    assert {found.text for found in written if found.span not in loaded.symbols.uses} <= LANGUAGE_NAMES


def written_names(node: object) -> tuple[Name, ...]:
    """Names directly in a node that mean something declared elsewhere."""
    match node:
        case e.Reference(name=text, span=span):
            return (Name(text, span),)
        case e.Attribute(name=Name() as name) | e.Argument(name=Name() as name) | s.Proceed(step=name):
            return (name,)
        case Dotted(parts=parts):
            return parts
        case _:
            return ()
