"""Finds what ships beside the code: the grammar and the rulesets."""

from importlib.resources import files
from pathlib import Path


def folder(kind: str) -> Path:
    """The folder of shipped files of a kind, `grammar` or `rulesets`.

    An installed package holds it inside itself; a checkout holds it beside the interpreter.
    """
    inside = Path(str(files("rulewright"))) / kind
    return inside if inside.is_dir() else Path(__file__).parents[2] / kind
