"""What a client ought not to say: all is answered, in plain words where it is refused, and the server lives."""

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.raid_example import FILES, MAIN, PLACE, SCENARIOS, SUITE

Message = dict[str, Any]
FAR, BEYOND = 2_000_000_000, 4_000_000_000
ASKED = (
    "completion", "hover", "signatureHelp", "definition", "references", "documentHighlight", "prepareRename", "rename",
    "documentSymbol", "foldingRange", "formatting", "semanticTokens/full", "inlayHint", "codeLens", "codeAction",
)  # fmt: skip
DIGITS = "9" * 400


class Raw:
    """A client that says what it is told to, byte by byte."""

    def __init__(self, server: asyncio.subprocess.Process) -> None:
        assert server.stdin is not None
        assert server.stdout is not None
        self._in, self._out, self._ids = server.stdout, server.stdin, iter(range(1, 10_000))
        self.told: list[Message] = []

    def send(self, **said: Any) -> None:
        body = json.dumps({"jsonrpc": "2.0", **said}).encode()
        self._out.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def note(self, method: str, params: Any) -> None:
        self.send(method=method, params=params)

    async def ask(self, method: str, params: Any) -> Message:
        id_ = next(self._ids)
        self.send(id=id_, method=method, params=params)
        while True:
            heard = await asyncio.wait_for(self.heard(), 60)
            if heard.get("id") == id_ and "method" not in heard:
                return heard
            self.told.append(heard)

    async def heard(self) -> Message:
        size = 0
        while (line := (await self._in.readline()).strip()) or not size:
            assert line, "the server is gone"
            if line.lower().startswith(b"content-length"):
                size = int(line.partition(b":")[2])
        return json.loads(await self._in.readexactly(size))  # type: ignore[no-any-return]


def params(uri: Any, line: Any = 0, character: Any = 0) -> Message:
    """What any request about a place may want."""
    at = {"line": line, "character": character}
    return {
        "textDocument": {"uri": uri},
        "position": at,
        "range": {"start": {"line": 0, "character": 0}, "end": at},
        "context": {"diagnostics": [], "includeDeclaration": True},
        "newName": "zz",
        "options": {"tabSize": 2, "insertSpaces": True},
    }


def opened(uri: str, text: str, language: str = "rulewright", version: int = 1) -> Message:
    return {"textDocument": {"uri": uri, "languageId": language, "version": version, "text": text}}


def changed(uri: str, version: int, *changes: Message) -> Message:
    return {"textDocument": {"uri": uri, "version": version}, "contentChanges": list(changes)}


def sequences(folder: Path) -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    """Notes and questions by what is wrong with them; a question begins with `?`."""
    rules, suite = (folder / PLACE).as_uri(), (folder / SUITE).as_uri()
    for each in ASKED:
        asked = f"?textDocument/{each}"
        yield f"{each} of a place far outside", [(asked, params(rules, FAR, FAR))]
        yield f"{each} of a place that none can be", [(asked, params(rules, BEYOND, 0))]
        yield f"{each} of a file that is not open", [(asked, params((folder / "raid/raid_heavy.rules").as_uri()))]
        yield f"{each} of a file without a name", [(asked, params("untitled:Untitled-1"))]
        yield f"{each} without a place", [(asked, {"textDocument": {"uri": rules}})]
        yield f"{each} without anything", [(asked, None)]
        yield f"{each} of a number", [(asked, params(7, "a", -1))]
    for uri in (
        "untitled:a.rules",
        "file:///",
        "file://elsewhere/a.rules",
        "http://a/b.rules",
        "",
        "%",
        "file:///%00.rules",
    ):
        note = ("textDocument/didOpen", opened(uri, MAIN))
        yield (
            f"a text at `{uri}`",
            [note, ("?textDocument/hover", params(uri, 5, 12)), ("textDocument/didClose", params(uri))],
        )
    for name, text in {
        "nothing": "", "blanks": "\n\n \t\n", "a null": "ruleset a\0b", "half a character": 'ruleset \ud83d "a"',
        "other line ends": MAIN.replace("\n", "\r\n"), "only returns": MAIN.replace("\n", "\r"), "a tab": "\t\tstep 1",
        "brackets": "term a gives flag means " + "(" * 3000, "a long line": "# " + "x" * 200_000,
        "many indents": "\n".join(" " * each + "x:" for each in range(400)), "a mark": "\ufeff" + MAIN,
        "line separators": MAIN.replace("  step 2", "\u2028\u0085  step 2"),
        "digits": f"term a gives {DIGITS} means {DIGITS}",
    }.items():  # fmt: skip
        yield (
            f"rules of {name}",
            [("textDocument/didChange", changed(rules, 2, {"text": text}))]
            + [(f"?textDocument/{each}", params(rules, 3, 5)) for each in ASKED],
        )
    for name, text in {
        "tags": "!!python/object:os.system x",
        "anchors": "a: &a [*a]",
        "depth": "[" * 5000,
        "tabs": "\ta: 1",
    }.items():
        yield (
            f"scenarios of {name}",
            [("textDocument/didChange", changed(suite, 2, {"text": text}))]
            + [(f"?textDocument/{each}", params(suite, 0, 3)) for each in ASKED],
        )
    toml = (folder / "rulewright.toml").as_uri()
    for name, text in {"depth": "a = " + "[" * 5000, "dots": "a" + ".a" * 5000 + " = 1", "quotes": 'a = """'}.items():
        yield (
            f"a project of {name}",
            [("textDocument/didOpen", opened(toml, text, "toml")), ("?textDocument/completion", params(toml, 0, 4))],
        )
    partial = {"range": {"start": {"line": FAR, "character": 0}, "end": {"line": 0, "character": FAR}}, "text": "x"}
    yield "a change of a part that is nowhere", [("textDocument/didChange", changed(rules, 3, partial))]
    yield "no changes", [("textDocument/didChange", changed(rules, 4))]
    yield (
        "a change of what is not open",
        [("textDocument/didChange", changed((folder / "x.rules").as_uri(), 4, {"text": "a"}))],
    )
    yield "opened twice", [("textDocument/didOpen", opened(rules, MAIN, version=9))]
    yield "closed twice", [("textDocument/didClose", params(suite)), ("textDocument/didClose", params(suite))]
    yield "no such request", [("?textDocument/nonsense", {}), ("?rulewright/nothing", [1, 2])]
    yield "initialized again", [("?initialize", {"processId": None, "rootUri": None, "capabilities": {}})]
    yield "a command of others", [("?workspace/executeCommand", {"command": "rm", "arguments": ["-rf"]})]
    yield (
        "folders of nowhere",
        [
            (
                "workspace/didChangeWorkspaceFolders",
                {"event": {"added": [{"uri": "file:///no/where", "name": "x"}], "removed": []}},
            )
        ],
    )
    yield (
        "folders that are none",
        [("workspace/didChangeWorkspaceFolders", {"event": {"added": [{"uri": 3}], "removed": None}})],
    )
    yield "files of nowhere", [("workspace/didChangeWatchedFiles", {"changes": [{"uri": "file:///no", "type": 2}]})]
    yield "what is cancelled was never asked", [("$/cancelRequest", {"id": 99_999}), ("$/cancelRequest", {"id": None})]
    yield (
        "a name that none can be",
        [("?textDocument/rename", params(rules, 5, 12) | {"newName": each}) for each in ("", " ", "1\n2", "x" * 9999)],
    )
    yield (
        "laid out with half of what is wanted",
        [("?textDocument/formatting", {"textDocument": {"uri": rules}, "options": {"tabSize": 2}})],
    )


def test_a_hostile_client_is_answered_in_words(tmp_path: Path) -> None:
    asyncio.run(_hostile(tmp_path))


async def _hostile(folder: Path) -> None:
    for place, content in FILES.items():
        (folder / place).parent.mkdir(exist_ok=True)
        (folder / place).write_text(content, encoding="utf-8")
    pipes = {"stdin": asyncio.subprocess.PIPE, "stdout": asyncio.subprocess.PIPE, "stderr": asyncio.subprocess.PIPE}
    command = (sys.executable, "-m", "rulewright", "lsp")
    server = await asyncio.create_subprocess_exec(*command, **pipes, limit=2**26)
    client = Raw(server)
    assert (await client.ask("textDocument/hover", params("untitled:early")))["result"] is None
    begun = {"processId": None, "rootUri": None, "capabilities": {}}
    begun["workspaceFolders"] = [{"uri": folder.as_uri(), "name": "one"}]
    await client.ask("initialize", begun)
    client.note("initialized", {})
    rules, suite = (folder / PLACE).as_uri(), (folder / SUITE).as_uri()
    tried = 0
    for name, said in sequences(folder):
        tried += 1
        for uri, content in ((rules, MAIN), (suite, SCENARIOS)):
            client.note("textDocument/didOpen", opened(uri, content))
        for method, what in said:
            if not method.startswith("?"):
                client.note(method, what)
                continue
            answer = await client.ask(method[1:], what)
            assert ("result" in answer) != ("error" in answer), (name, answer)
            assert_plain(name, str(answer.get("error", {}).get("message", "")))
            assert "data" not in answer.get("error", {}), (name, answer["error"])
        for uri, content in ((rules, MAIN), (suite, SCENARIOS)):
            client.note("textDocument/didOpen", opened(uri, content))
        for _ in range(200):  # what is known follows a pause behind what is written
            alive = await client.ask("textDocument/hover", params(rules, 5, 12))
            if "A strike" in str(alive.get("result")):
                break
            await asyncio.sleep(0.05)
        else:
            pytest.fail(f"after {name}: {alive}")
    assert tried > 100
    for each in client.told:
        if each.get("method") in {"window/logMessage", "window/showMessage"}:
            assert_plain("said", each["params"]["message"])
    client.send(id=9_999, method="shutdown", params=None)
    client.note("exit", None)
    _, errors = await asyncio.wait_for(server.communicate(), 30)
    assert b"Traceback" not in errors
    assert server.returncode == 0


def assert_plain(name: str, message: str) -> None:
    """Nobody who writes no code stops at this."""
    for each in ("Traceback", "fault of rulewright", "Error", "object", "NoneType", "lsprotocol", "Exception", ".py"):
        assert each not in message, (name, message)
