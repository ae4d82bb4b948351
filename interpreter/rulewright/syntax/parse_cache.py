"""Disk cache of the nodes of texts without mistakes: an unchanged file is not parsed again."""

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
    """`parser.parse_rules_text`, from the cache if the same parser parsed the same text before."""
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
    """Unpickler restricted to node classes and spans, so that a forged cache entry runs no code."""

    def find_class(self, module: str, name: str) -> Any:
        """The node class of that name.

        Raises:
            UnpicklingError: it is no node class.
        """
        if module == Span.__module__ or module.startswith(_NODES_PACKAGE):
            result = getattr(import_module(module), name, None)
            if isinstance(result, type) and result.__module__ == module:
                return result
        raise pickle.UnpicklingError(name)


@cache
def _fingerprint_parser() -> str:
    """Hash of what determines the nodes of a text: grammar, parser code, Lark and Python."""
    grammar = (get_resource_folder("grammar") / "rules.lark").read_bytes()
    return make_cache_key(grammar, fingerprint_code(("base/frozen.py", "base/source.py", "syntax"), "lark"))
