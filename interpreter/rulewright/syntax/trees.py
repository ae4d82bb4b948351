"""Trees of texts without mistakes, kept between runs: what nobody has changed is not read again."""

import pickle
from functools import cache
from importlib import import_module
from io import BytesIO
from typing import Any

from rulewright.keeping import Shelf, key_of, made_by
from rulewright.resources import folder
from rulewright.source import Span, Text
from rulewright.syntax.nodes.declarations import File
from rulewright.syntax.parsed import Parsed

SHELF = Shelf("trees", most=500, size=64_000_000)
_NODES = "rulewright.syntax.nodes."


def parse_kept(text: Text) -> Parsed:
    """As `parser.parse`; a text that was read before by the same reader is not read again."""
    key = key_of(_reader(), text.name, text.content)
    file = _kept(key)
    if file is not None:
        return Parsed(file, ())
    from rulewright.syntax.parser import parse  # noqa: PLC0415 - seldom wanted

    parsed = parse(text)
    if parsed.file is not None and not parsed.diagnostics:
        SHELF.keep(key, pickle.dumps(parsed.file, pickle.HIGHEST_PROTOCOL))
    return parsed


def _kept(key: str) -> File | None:
    written = SHELF.kept(key)
    if written is None:
        return None
    try:
        found = NodeReader(BytesIO(written)).load()
    except Exception:  # noqa: BLE001 - what is no tree raises anything
        return None
    return found if isinstance(found, File) else None


class NodeReader(pickle.Unpickler):
    """Reads nodes and places in texts, and refuses to make anything else."""

    def find_class(self, module: str, name: str) -> Any:  # a class
        """The class of that name.

        Raises:
            UnpicklingError: it is not a node.
        """
        if module == Span.__module__ or module.startswith(_NODES):
            found = getattr(import_module(module), name, None)
            if isinstance(found, type) and found.__module__ == module:
                return found
        raise pickle.UnpicklingError(name)


@cache
def _reader() -> str:
    """What determines the tree of a text: the grammar, the code that reads, Lark and Python."""
    grammar = (folder("grammar") / "rules.lark").read_bytes()
    return key_of(grammar, made_by(("frozen.py", "source", "syntax"), "lark"))
