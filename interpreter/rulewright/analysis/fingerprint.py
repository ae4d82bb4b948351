"""The fingerprint of a ruleset: equal for texts that differ in layout and comments only."""

from collections.abc import Callable
from hashlib import sha256

from rulewright.analysis.symbols import Linked
from rulewright.roles import Role, is_node, names

_LATER = frozenset({"inner"})
"""What the language learnt later counts only where it is written, so that older rulesets keep their fingerprints."""


def fingerprint(linked: Linked) -> str:
    """SHA-256, in hexadecimal, of everything that can change play or what people read.

    Titles, cites and settings count; comments, layout, file names and places do not. Overlays count by what they
    made of the ruleset and by their revisions.
    """
    digest = sha256()
    for module in linked.modules:
        headers = [header for file in module.files for header in file.headers]
        written: list[str] = [module.prefix]
        _write((*headers, *module.declarations), written.append)
        digest.update("\x00".join(written).encode())
    return digest.hexdigest()


def _write(value: object, write: Callable[[str], None]) -> None:
    """Every part in order; brackets and class names keep different trees different."""
    if isinstance(value, tuple):
        write("(")
        for each in value:
            _write(each, write)
        write(")")
        return
    if not is_node(type(value)):
        write(repr(value))
        return
    write(type(value).__name__)
    for name in names(type(value), Role.PLACE):
        part = getattr(value, name)
        if part or name not in _LATER:
            _write(part, write)
