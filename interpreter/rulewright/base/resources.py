"""Finds what ships beside the code: the grammar and the rulesets."""

from pathlib import Path


def get_resource_folder(kind: str) -> Path:
    """The folder of shipped files of a kind, `grammar` or `rulesets`.

    An installed package holds it inside itself; a checkout holds it beside the interpreter.
    """
    package = Path(__file__).parents[1]
    inside = package / kind
    return inside if inside.is_dir() else package.parents[1] / kind
