"""The command that adds an extra to this very installation: checkout, file or index, with pip, uv or pipx."""

import json
import shlex
import sys
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

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
