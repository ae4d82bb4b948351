"""The parser of the shipped grammar, with tables that are built once and kept between runs."""

import os
import sys
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from lark import Lark, __version__
from platformdirs import user_cache_path

from rulewright.resources import folder
from rulewright.syntax.layout import Layout
from rulewright.syntax.lexer import PlaceLexer

_OPTIONS: dict[str, Any] = {
    "parser": "lalr",
    "lexer": PlaceLexer,
    "propagate_positions": True,
    "maybe_placeholders": True,
}


def parser() -> Lark:
    """The parser; its line ends go through a `Layout`, which is its option `postlex`.

    What was kept for the same grammar, Lark and Python is used again. Where nothing was kept, or what was kept is
    damaged, the tables are built; where nothing can be kept, they are built for every run.
    """
    grammar = (folder("grammar") / "rules.lark").read_text(encoding="utf-8")
    place = _place(grammar)
    return _kept(place) or _built(grammar, place)


def _place(grammar: str) -> Path:
    made_of = f"{grammar}{_OPTIONS}{__version__}{sys.version_info[:2]}"
    return user_cache_path("rulewright") / f"grammar-{sha256(made_of.encode()).hexdigest()[:16]}.tables"


def _kept(place: Path) -> Lark | None:
    try:
        with place.open("rb") as file:
            return Lark.load(file)
    except Exception:  # noqa: BLE001 - damaged pickles raise anything
        return None


def _built(grammar: str, place: Path) -> Lark:
    """A new parser, kept if possible: written beside its place and moved there, so that nobody reads half of it."""
    made = Lark(grammar, postlex=Layout(), **_OPTIONS)
    unfinished = place.with_suffix(f".{os.getpid()}")
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        with unfinished.open("wb") as file:
            made.save(file)
        unfinished.replace(place)
    return made
