"""Location of the files shipped beside the code: the grammar and the rulesets."""

from pathlib import Path


def get_resource_folder(kind: str) -> Path:
    """Folder of shipped files, `grammar` or `rulesets`: in an installed package, or beside the interpreter in a checkout."""
    package = Path(__file__).parents[1]
    inside = package / kind
    return inside if inside.is_dir() else package.parents[1] / kind
