"""Messages between the editor of a tab and the language server: what a tab may send, and URIs translated both ways."""

import json
from typing import Any
from urllib.parse import quote, unquote

from rulewright.studio.request_table import RequestProblem
from rulewright.studio.work_folder import WorkFolder, shorten_paths

_REQUEST_FAILED_CODE = -32803
"""RequestFailed of the Language Server Protocol."""
_NOT_IN_FOLDER = "this file is not in the folder"
_SHIPPED_URI = "file:///shipped"
"""URI of every file outside the folder, such as shipped rules; the browser cannot open it."""
_LIST_MEMBER_KEY = "[]"
"""Key of list members in the translation."""
_URI_KEYS = frozenset({"uri", "rootUri", "baseUri", "oldUri", "newUri", "targetUri"})
_TEXT_KEYS = frozenset({"message", "title", "detail", "value"})
"""Keys of messages for people, which may hold paths of this machine."""


class UriMapper:
    """Translation of URIs between browser and language server.

    The browser sees `file:///NAME` for the folder, and nothing of the machine around it.
    """

    def __init__(self, folder: WorkFolder) -> None:
        self.root = f"file:///{quote(folder.path.name or 'rules', safe='')}"
        self._folder = folder
        self._real = folder.path.as_uri()

    def to_server_uri(self, uri: str) -> str:
        """URI for the language server; raises `RequestProblem` for a file outside the folder."""
        if uri == self.root:
            return self._real
        path = unquote(uri.removeprefix(f"{self.root}/"), errors="strict")
        if not uri.startswith(f"{self.root}/"):
            raise RequestProblem(400, _NOT_IN_FOLDER)
        return f"{self._real}/{quote(self._folder.normalize_place(path))}"

    def to_browser_uri(self, uri: str) -> str:
        """URI for the browser; `_SHIPPED_URI` for any file outside the folder."""
        is_ours = uri == self._real or uri.startswith(f"{self._real}/")
        return uri.replace(self._real, self.root, 1) if is_ours else _SHIPPED_URI

    def hide_paths(self, words: str) -> str:
        """Text with paths relative to the folder."""
        return shorten_paths(self._folder.path, words)


def translate_message(message: Any, names: UriMapper, *, inward: bool) -> Any:  # of JSON
    """A message with translated URIs; texts of files are unchanged.

    Raises:
        RequestProblem: a file is outside the folder.
    """
    match message:
        case [int(), *_]:
            return message
        case list():
            return [_translate_value(_LIST_MEMBER_KEY, item, names, inward=inward) for item in message]
        case dict():
            return {
                _translate_key(name, names, inward=inward): _translate_value(name, item, names, inward=inward)
                for name, item in message.items()
            }
        case _:
            return message


def _translate_key(name: str, names: UriMapper, *, inward: bool) -> str:
    if not name.startswith("file:"):
        return name
    return names.to_server_uri(name) if inward else names.to_browser_uri(name)


def _translate_value(name: str, value: Any, names: UriMapper, *, inward: bool) -> Any:  # of JSON
    if not isinstance(value, str):
        return translate_message(value, names, inward=inward)
    if name in _URI_KEYS or (name == _LIST_MEMBER_KEY and value.startswith("file:")):
        return names.to_server_uri(value) if inward else names.to_browser_uri(value)
    return value if inward or name not in _TEXT_KEYS else names.hide_paths(value)


def parse_editor_message(text: str, names: UriMapper) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """A message of a tab for the language server, or else the reply that refuses it, if it wants one.

    Raises:
        ValueError: it is no message.
        RecursionError: it is no message, either.
    """
    message = json.loads(text)
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise ValueError
    try:
        translated = translate_message(message, names, inward=True)
    except RequestProblem as problem:
        if "id" not in message:
            return None, None
        error = {"code": _REQUEST_FAILED_CODE, "message": problem.message}
        return None, {"jsonrpc": "2.0", "id": message["id"], "error": error}
    if isinstance(translated.get("params"), dict):
        translated["params"].pop("processId", None)
        translated["params"].pop("rootPath", None)
    return translated, None
