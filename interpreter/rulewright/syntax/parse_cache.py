"""Trees of texts without mistakes, kept between runs: what nobody has changed is not read again."""

import pickle
from functools import cache
from importlib import import_module
from io import BytesIO
from typing import Any

from rulewright.base.disk_cache import CacheBucket, fingerprint_code, make_cache_key
from rulewright.base.resources import get_resource_folder
from rulewright.base.source import Span, Text
from rulewright.syntax.nodes.declarations import File
from rulewright.syntax.parse_result import ParsedText

TREE_CACHE = CacheBucket("trees", max_entries=500, max_bytes=64_000_000)
_NODES_PACKAGE = "rulewright.syntax.nodes."


def parse_cached_text(text: Text) -> ParsedText:
    """As `parser.parse_rules_text`; a text that was read before by the same reader is not read again."""
    key = make_cache_key(_fingerprint_parser(), text.name, text.content)
    file = _load_cached_file(key)
    if file is not None:
        return ParsedText(file, ())
    from rulewright.syntax.parser import parse_rules_text  # noqa: PLC0415 - seldom wanted

    parsed = parse_rules_text(text)
    if parsed.file is not None and not parsed.diagnostics:
        TREE_CACHE.store_bytes(key, pickle.dumps(parsed.file, pickle.HIGHEST_PROTOCOL))
    return parsed


def _load_cached_file(key: str) -> File | None:
    written = TREE_CACHE.load_bytes(key)
    if written is None:
        return None
    try:
        file = NodeUnpickler(BytesIO(written)).load()
    except Exception:  # noqa: BLE001 - what is no tree raises anything
        return None
    return file if isinstance(file, File) else None


class NodeUnpickler(pickle.Unpickler):
    """Reads nodes and places in texts, and refuses to make anything else."""

    def find_class(self, module: str, name: str) -> Any:  # a class
        """The class of that name.

        Raises:
            UnpicklingError: it is not a node.
        """
        if module == Span.__module__ or module.startswith(_NODES_PACKAGE):
            result = getattr(import_module(module), name, None)
            if isinstance(result, type) and result.__module__ == module:
                return result
        raise pickle.UnpicklingError(name)


@cache
def _fingerprint_parser() -> str:
    """What determines the tree of a text: the grammar, the code that reads, Lark and Python."""
    grammar = (get_resource_folder("grammar") / "rules.lark").read_bytes()
    return make_cache_key(grammar, fingerprint_code(("base/frozen.py", "base/source.py", "syntax"), "lark"))
