"""The occurrences in one reading of a ruleset: as it is, or with overlays over it."""

from collections.abc import Mapping

from rulewright.references.addressed import Piece
from rulewright.references.declaring import Declaring, add_addresses
from rulewright.references.index import Role
from rulewright.references.joined import Joined
from rulewright.references.names import Found, Names
from rulewright.references.referring import Referring, amended_addresses
from rulewright.source import Span
from rulewright.syntax.nodes.expressions import Name
from rulewright.workspace import Loaded


def note_rules(loaded: Loaded, names: Names, found: Found) -> None:
    """Notes all names in the texts of a ruleset; those of the ruleset alone come before those of its overlays."""
    linked = loaded.linked
    if linked is None:
        return
    found.texts.update(loaded.texts)
    if loaded.program is not None:
        names.programs.append(loaded.program)
    names.documents.update(linked.documents)
    Declaring(linked, names, found).run()
    Referring(linked, Joined(loaded.program), names, found).run()
    add_addresses(linked, names, found)
    bases = {each.node.name.text: each.node.base.text for each in linked.derivations.values()}
    for module in linked.modules:
        for file in module.files:
            for around, name in amended_addresses(file):
                _address(_around(around, bases), name, names, found)


def _around(procedure: str, bases: Mapping[str, str]) -> tuple[str, ...]:
    """A procedure by `like`, what it is derived from, and so on: where an address in it may begin."""
    chain: tuple[str, ...] = (procedure,) if procedure else ()
    while chain and chain[-1] in bases and bases[chain[-1]] not in chain:
        chain = (*chain, bases[chain[-1]])
    return chain


def _address(around: tuple[str, ...], name: Name, names: Names, found: Found) -> None:
    """The names in an address of an amendment; inside of a procedure by `like` it begins there."""
    inside = name.text.partition("/")[0] not in around
    for text in (f"{each}/{name.text}" for each in around) if around and inside else (name.text,):
        shift = len(name.text) - len(text)
        for each in _known(text, names):
            start, end = each.start + shift, each.end + shift
            if start >= 0:
                span = Span(name.span.source, name.span.start + start, name.span.start + end)
                found.note(span, name.text[start:end], each.target, Role.AMENDED)


def _known(text: str, names: Names) -> tuple[Piece, ...]:
    """The names in a whole address; of one that is new those of what it stands in."""
    while text and text not in names.addresses:
        text = text.rpartition("/")[0]
    return names.addresses.pieces(text) if text else ()
