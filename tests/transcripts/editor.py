"""An editor that talks to `rulewright lsp` in bytes, so that nothing of the code stands between."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep
from typing import Any

_SETTLED = 0.6
"""Seconds without typing after which what is wrong has been told; the server waits a quarter of a second."""


class Editor:
    """A client of the language server."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process
        self._number = 0
        self.problems: dict[str, Any] = {}

    def ask(self, method: str, **params: Any) -> Any:
        """What is answered to a request."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while True:
            heard = self._hear()
            if heard.get("method") == "textDocument/publishDiagnostics":
                self.problems[heard["params"]["uri"]] = heard["params"]["diagnostics"]
            elif "method" in heard and "id" in heard:
                self._send({"id": heard["id"], "result": None})
            elif heard.get("id") == self._number:
                return heard.get("result", heard.get("error"))

    def tell(self, method: str, **params: Any) -> None:
        """Sends what needs no answer."""
        self._send({"method": method, "params": params})

    def settled_problems(self, uri: str) -> Any:
        """All that is wrong, once nothing has been typed for a while."""
        where = {"textDocument": {"uri": uri}}
        self.ask("textDocument/documentSymbol", **where)
        sleep(_SETTLED)
        for _ in range(2):
            self.ask("textDocument/documentSymbol", **where)
        return dict(sorted(self.problems.items()))

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._process.stdin.flush()

    def _hear(self) -> Any:
        assert self._process.stdout is not None
        size = 0
        while line := self._process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            size = int(value) if name.lower() == b"content-length" else size
        if not size:
            raise EOFError("the language server has ended")
        return json.loads(self._process.stdout.read(size))


@contextmanager
def opened_editor(folder: Path) -> Iterator[Editor]:
    """An editor that has opened a folder."""
    command = [sys.executable, "-m", "rulewright", "lsp"]
    process = subprocess.Popen(
        command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    editor = Editor(process)
    try:
        editor.ask(
            "initialize",
            processId=None,
            rootUri=folder.as_uri(),
            workspaceFolders=[{"uri": folder.as_uri(), "name": folder.name}],
            capabilities={
                "textDocument": {
                    "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
                    "hover": {"contentFormat": ["markdown"]},
                    "publishDiagnostics": {"relatedInformation": True},
                }
            },
        )
        editor.tell("initialized")
        yield editor
        editor.ask("shutdown")
        editor.tell("exit")
        process.wait(10)
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()
