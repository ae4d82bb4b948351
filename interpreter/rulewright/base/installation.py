"""This installation: where the files shipped with it are, and the command that adds an extra to it."""

import json
import shlex
import sys
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit


def get_resource_folder(kind: str) -> Path:
    """Folder of shipped files, `grammar` or `rulesets`: in an installed package, or beside the interpreter in a checkout."""
    package = Path(__file__).parents[1]
    inside = package / kind
    return inside if inside.is_dir() else package.parents[1] / kind


_PACKAGE_NAME = "rulewright"


def get_install_command(extra: str) -> str:
    """Shell command that installs an extra into this environment from the source of this installation."""
    return " ".join(_get_installer_arguments() + _get_source_arguments(extra))


def _get_installer_arguments() -> list[str]:
    if "pipx" in Path(sys.prefix).parts:
        return ["pipx", "install", "--force"]
    if find_spec("pip") is None:
        return ["uv", "pip", "install", "--python", shlex.quote(sys.executable)]
    return [shlex.quote(sys.executable), "-m", "pip", "install"]


def _get_source_arguments(extra: str) -> list[str]:
    from importlib.metadata import PackageNotFoundError, distribution  # noqa: PLC0415 - slow to import

    named = f"{_PACKAGE_NAME}[{extra}]"
    try:
        written = distribution(_PACKAGE_NAME).read_text("direct_url.json")
    except PackageNotFoundError:
        written = None
    if not written:
        return [f"'{named}'"]
    origin = json.loads(written)
    url = origin["url"]
    if "dir_info" not in origin:
        if "vcs_info" in origin:
            url = f"{origin['vcs_info']['vcs']}+{url}@{origin['vcs_info']['commit_id']}"
        return [shlex.quote(f"{named} @ {url}")]
    folder = shlex.quote(f"{unquote(urlsplit(url).path)}[{extra}]")
    return ["--editable", folder] if origin["dir_info"].get("editable") else [folder]
