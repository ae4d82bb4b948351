"""Editing sessions: a real client starts `rulewright lsp`, opens texts, types and asks."""

import asyncio
import gc
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from io import BytesIO
from itertools import product
from pathlib import Path

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.io_ import StdoutWriter
from pygls.lsp.client import LanguageClient

from rulewright.editor.language_server.server import make_language_server
from support.raid_example import FILES, MAIN, PLACE, SUITE

DICE = "\N{GAME DIE}"  # beyond the first plane: two units of UTF-16, four of UTF-8
MARKED = MAIN.replace('means u.health < 3 "worn"', f'means u.health < 3 "{DICE}{DICE} worn"  @1.a')
COMMAND = [sys.executable, "-m", "rulewright", "lsp"]
CAPABILITIES = lsp.ClientCapabilities(
    text_document=lsp.TextDocumentClientCapabilities(
        publish_diagnostics=lsp.PublishDiagnosticsClientCapabilities(related_information=True),
        document_symbol=lsp.DocumentSymbolClientCapabilities(hierarchical_document_symbol_support=True),
        hover=lsp.HoverClientCapabilities(content_format=[lsp.MarkupKind.Markdown]),
        completion=lsp.CompletionClientCapabilities(
            completion_item=lsp.ClientCompletionItemOptions(preselect_support=True)
        ),
        code_action=lsp.CodeActionClientCapabilities(
            is_preferred_support=True,
            code_action_literal_support=lsp.ClientCodeActionLiteralOptions(
                lsp.ClientCodeActionKindOptions([lsp.CodeActionKind.QuickFix])
            ),
        ),
    ),
    general=lsp.GeneralClientCapabilities(position_encodings=[lsp.PositionEncodingKind.Utf16]),
    workspace=lsp.WorkspaceClientCapabilities(workspace_folders=True),
)


class Client(LanguageClient):
    """A client that keeps what it is told last of each file."""

    def __init__(self) -> None:
        super().__init__("editor", "1")
        self.diagnostics: dict[str, list[lsp.Diagnostic]] = {}

        @self.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def told(found: lsp.PublishDiagnosticsParams) -> None:
            self.diagnostics[found.uri] = list(found.diagnostics)


def write_folders(place: Path) -> list[Path]:
    """Two folders, each with the ruleset."""
    for name, (file, content) in product(("one", "two"), FILES.items()):
        path = place / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(MARKED if file == PLACE else content, encoding="utf-8")
    return [place / "one", place / "two"]


def lived(story: Callable[[Client, list[Path]], Awaitable[None]]) -> Callable[[Path], None]:
    """A test that lives through a story with a server and both folders open."""

    async def live(folders: list[Path]) -> None:
        client = Client()
        await client.start_io(*COMMAND)
        opened = [lsp.WorkspaceFolder(each.as_uri(), each.name) for each in folders]
        begun = await client.initialize_async(lsp.InitializeParams(capabilities=CAPABILITIES, workspace_folders=opened))
        assert begun.capabilities.position_encoding == "utf-16"
        client.initialized(lsp.InitializedParams())
        try:
            await asyncio.wait_for(story(client, folders), 60)
        finally:
            await client.shutdown_async(None)
            client.exit(None)
            await client.stop()

    return lambda tmp_path: asyncio.run(live(write_folders(tmp_path)))


class Editor:
    """What a person does in an editor with one text."""

    def __init__(self, client: Client, file: Path) -> None:
        self.client, self.uri, self.version = client, file.as_uri(), 1
        self.content = file.read_text(encoding="utf-8")
        language = "rulewright" if file.suffix == ".rules" else "yaml"
        client.text_document_did_open(
            lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(self.uri, language, self.version, self.content))
        )

    @property
    def text(self) -> lsp.TextDocumentIdentifier:
        return lsp.TextDocumentIdentifier(self.uri)

    def type(self, old: str, new: str) -> None:
        assert old in self.content
        self.write(self.content.replace(old, new, 1))

    def write(self, content: str) -> None:
        self.content, self.version = content, self.version + 1
        self.client.text_document_did_change(
            lsp.DidChangeTextDocumentParams(
                lsp.VersionedTextDocumentIdentifier(self.version, self.uri),
                [lsp.TextDocumentContentChangeWholeDocument(content)],
            )
        )

    def at(self, needle: str, plus: int = 0) -> lsp.Position:
        """A position in UTF-16, counted apart from the server."""
        above, _, line = self.content[: self.content.index(needle) + plus].rpartition("\n")
        return lsp.Position(above.count("\n") + 1 if above else 0, len(line.encode("utf-16-le")) // 2)

    def of(self, found: lsp.Range) -> str:
        """What stands in a range."""
        line = self.content.split("\n")[found.start.line].encode("utf-16-le")
        assert found.start.line == found.end.line
        return line[2 * found.start.character : 2 * found.end.character].decode("utf-16-le")

    async def problems(self, *wanted: str) -> list[lsp.Diagnostic]:
        """The problems, once they are these and no others."""
        for _ in range(200):
            found = list(self.client.diagnostics.get(self.uri, [None]))
            if [each.message.split("\n")[0] if each else None for each in found] == list(wanted):
                return found
            await asyncio.sleep(0.05)
        raise AssertionError([each.message for each in self.client.diagnostics.get(self.uri, [])])


@lived
async def test_a_session(client: Client, folders: list[Path]) -> None:
    rules = Editor(client, folders[0] / PLACE)
    await rules.problems()

    rules.type("let needed = 4", "let needed = (4")
    [found] = await rules.problems("`(` is not closed")
    assert rules.of(found.range) == "("

    rules.type("let needed = (4", "let needed = 4\n    let more = target.")
    listed = await client.text_document_completion_async(
        lsp.CompletionParams(rules.text, rules.at("let more = target.", len("let more = target.")))
    )
    assert isinstance(listed, lsp.CompletionList)
    assert [each.label for each in listed.items] == ["owner", "health", "stance", "gone"]
    assert [each.detail for each in listed.items][:2] == ["attribute: player", "attribute: 0..9"]

    rules.type("let more = target.", "let more = target.helth")
    [found] = await rules.problems("`Unit` has no attribute `helth`")
    assert rules.of(found.range) == "helth"
    actions = await client.text_document_code_action_async(
        lsp.CodeActionParams(rules.text, found.range, lsp.CodeActionContext([found]))
    )
    assert actions is not None
    fix = actions[0]
    assert isinstance(fix, lsp.CodeAction)
    assert (fix.title, fix.is_preferred) == ("Write `health` in place of `helth`", True)
    assert fix.edit is not None
    assert fix.edit.changes is not None
    [edit] = fix.edit.changes[rules.uri]
    assert (rules.of(edit.range), edit.new_text) == ("helth", "health")
    rules.type("helth", "health")
    rules.type("    let more = target.health\n", "")
    await rules.problems()


@lived
async def test_places_beyond_the_first_plane(client: Client, folders: list[Path]) -> None:
    rules = Editor(client, folders[0] / PLACE)
    await rules.problems()
    last = rules.content.rindex("@1.a") + 2
    place = rules.at(rules.content[last:])
    hover = await client.text_document_hover_async(lsp.HoverParams(rules.text, place))
    assert hover is not None
    assert hover.range is not None
    assert rules.of(hover.range) == "1.a"
    assert isinstance(hover.contents, lsp.MarkupContent)
    assert "Units strike in their turn." in hover.contents.value
    rules.type('worn"  @1.a', 'worn"  @9')
    [found] = await _any(rules)
    assert rules.of(found.range) == "@9"


async def _any(rules: Editor) -> list[lsp.Diagnostic]:
    for _ in range(200):
        found = list(rules.client.diagnostics.get(rules.uri, []))
        if found:
            return found
        await asyncio.sleep(0.05)
    return []


@lived
async def test_what_the_workbench_asks_beyond_the_protocol(client: Client, folders: list[Path]) -> None:
    rules = Editor(client, folders[0] / PLACE)
    asked = lsp.DocumentSymbolParams(rules.text)
    snippets = await client.protocol.send_request_async("rulewright/snippets", asked)
    assert "a table" in [each["name"] for each in snippets]
    assert snippets[0]["body"].startswith("values ${1:")
    assert isinstance(await client.protocol.send_request_async("rulewright/tableWords", asked), list)


@lived
async def test_what_else_an_editor_asks(client: Client, folders: list[Path]) -> None:
    rules = Editor(client, folders[0] / PLACE)
    await rules.problems()
    at = rules.at("harm(striker", 2)
    definition = await client.text_document_definition_async(lsp.DefinitionParams(rules.text, at))
    assert isinstance(definition, list)
    assert [each.uri for each in definition if isinstance(each, lsp.Location)] == [
        (folders[0] / "raid/raid_things.rules").as_uri()
    ]
    places = await client.text_document_references_async(
        lsp.ReferenceParams(lsp.ReferenceContext(include_declaration=True), rules.text, at)
    )
    assert places is not None
    assert len(places) == 4
    renamed = await client.text_document_rename_async(lsp.RenameParams(rules.text, at, "hurt"))
    assert renamed is not None
    assert renamed.changes is not None
    assert {Path(each).name: len(edits) for each, edits in renamed.changes.items()} == {
        "raid.rules": 2, "raid_things.rules": 1, "raid_heavy.rules": 1,
    }  # fmt: skip
    with pytest.raises(JsonRpcException, match="would report"):
        await client.text_document_rename_async(lsp.RenameParams(rules.text, at, "worn"))
    symbols = await client.text_document_document_symbol_async(lsp.DocumentSymbolParams(rules.text))
    assert [each.name for each in symbols or ()] == ["strike", "worn"]
    folds = await client.text_document_folding_range_async(lsp.FoldingRangeParams(rules.text))
    assert folds
    whole = lsp.Range(lsp.Position(0, 0), lsp.Position(99, 0))
    hints = await client.text_document_inlay_hint_async(lsp.InlayHintParams(rules.text, whole))
    assert [each.label for each in hints or ()] == [": die", ": 4", " = bold"]
    rules.type("let needed = 4", "let   needed=4")
    edits = await client.text_document_formatting_async(
        lsp.DocumentFormattingParams(rules.text, lsp.FormattingOptions(tab_size=2, insert_spaces=True))
    )
    assert edits is not None
    assert len(edits) == 1
    rules.type("let   needed=4", "let needed = harm(")
    help_ = await client.text_document_signature_help_async(
        lsp.SignatureHelpParams(rules.text, rules.at("needed = harm(", len("needed = harm(")))
    )
    assert help_ is not None
    assert help_.signatures[0].label == "harm(stance: Stance)"
    tokens = await client.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(rules.text))
    assert tokens is not None
    assert len(tokens.data) % 5 == 0
    lenses = await client.text_document_code_lens_async(lsp.CodeLensParams(rules.text))
    assert [each.command.title for each in lenses or () if each.command] == ["2 scenarios begin here"]


@lived
async def test_scenarios_follow_the_rules_and_two_folders_do_not_meet(client: Client, folders: list[Path]) -> None:
    first, second = (Editor(client, each / "raid/raid_things.rules") for each in folders)
    suites = [Editor(client, each / SUITE) for each in folders]
    for each in (first, second, *suites):
        await each.problems()
    first.type("health: 0..9", "vigour: 0..9")
    main = Editor(client, folders[0] / PLACE)
    main.write(main.content.replace("health", "vigour"))
    found = await _any(suites[0])
    assert {each.message.split("\n")[0] for each in found} == {
        "a Unit has no attribute `health`",
        "`ram` lacks `vigour`",
        "`tower` lacks `vigour`",
    }
    await second.problems()
    await suites[1].problems()


@lived
async def test_scenarios_and_the_project_file_are_asked_like_rules(client: Client, folders: list[Path]) -> None:
    suite = Editor(client, folders[0] / SUITE)
    await suite.problems()
    at = suite.at("health", 2)
    renamed = await client.text_document_rename_async(lsp.RenameParams(suite.text, at, "vigour"))
    assert renamed is not None
    assert renamed.changes is not None
    assert {Path(each).name for each in renamed.changes} == {"raid.rules", "raid_things.rules", "raid.scenario.yaml"}
    place = suite.at("a bad blow")
    offered = lsp.CodeActionParams(suite.text, lsp.Range(place, place), lsp.CodeActionContext([]))
    [table] = await client.text_document_code_action_async(offered) or ()
    assert isinstance(table, lsp.CodeAction)
    assert (table.title, table.kind) == ("Write it as a table of cases", lsp.CodeActionKind.RefactorRewrite)
    assert table.edit is not None
    [[edit]] = (table.edit.changes or {}).values()
    assert edit.new_text.splitlines()[1:] == [
        "    cases:",
        "      - [case, script, expect.path]",
        '      - [as before, {1/blow: 1}, ["1", "3"]]',
    ]
    suite.type("covers", "cover")
    [found] = await suite.problems("`cover` is not part of a scenario")
    context = lsp.CodeActionContext([found])
    actions = await client.text_document_code_action_async(lsp.CodeActionParams(suite.text, found.range, context))
    assert [each.title for each in actions or ()] == [
        "Write `covers` in place of `cover` (may change what the rules mean)"
    ]

    file = folders[0] / "rulewright.toml"
    file.write_text('[findings]\nRW0590 = "of"\n', encoding="utf-8")
    project = Editor(client, file)
    [found] = await project.problems("a finding weighs `off`, `hint`, `warning` or `error`")
    assert project.of(found.range) == '"of"'
    hover = await client.text_document_hover_async(lsp.HoverParams(project.text, project.at("RW0590", 2)))
    assert hover is not None
    assert "a question without a question mark" in str(hover.contents)
    project.write('[findings]\nRW0560 = "off"\n')
    await project.problems()


@lived
async def test_a_request_that_is_cancelled_is_not_answered(client: Client, folders: list[Path]) -> None:
    rules = Editor(client, folders[0] / PLACE)
    await rules.problems()
    params = lsp.ReferenceParams(
        lsp.ReferenceContext(include_declaration=True), rules.text, rules.at("harm(striker", 2)
    )
    for _ in range(50):
        asked = client.protocol.send_request(lsp.TEXT_DOCUMENT_REFERENCES, params)
        [id_] = client.protocol._request_futures  # noqa: SLF001 - the client has no other way to name it
        client.cancel_request(lsp.CancelParams(id_))
        try:
            await asyncio.wrap_future(asked)
        except JsonRpcException as refused:
            why = str(refused)
            break
    else:
        pytest.fail("50 requests were answered before they could be cancelled")
    assert "cancel" in why.lower()
    hover = await client.text_document_hover_async(lsp.HoverParams(rules.text, rules.at("harm(striker", 2)))
    assert hover is not None


def test_a_server_whose_client_dies_ends() -> None:
    asyncio.run(_dies())


async def _dies() -> None:
    server = await asyncio.create_subprocess_exec(
        *COMMAND, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    assert server.stdin is not None
    assert server.stdout is not None
    hello = (
        b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}'
    )
    server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(hello), hello))
    await server.stdin.drain()
    assert (await asyncio.wait_for(server.stdout.readline(), 30)).startswith(b"Content-Length")
    server.stdin.write(b'Content-Length: 99\r\n\r\n{"jsonrpc"')
    server.stdin.close()
    _, said = await asyncio.wait_for(server.communicate(), 30)
    assert b"Traceback" not in said
    assert b"fault of rulewright" not in said


def test_nothing_is_kept_of_a_change_that_was_heard(tmp_path: Path) -> None:
    folders = write_folders(tmp_path)

    async def heard() -> None:
        protocol = make_language_server().protocol
        protocol.set_writer(StdoutWriter(BytesIO()))
        uri = (folders[0] / PLACE).as_uri()

        def say(method: str, params: object, **id_: int) -> None:
            protocol.handle_message(
                protocol.structure_message({"jsonrpc": "2.0", "method": method, "params": params, **id_})
            )

        say("initialize", {"processId": None, "rootUri": folders[0].as_uri(), "capabilities": {}}, id=1)
        document = {"uri": uri, "languageId": "rulewright", "version": 1, "text": MAIN}
        say("textDocument/didOpen", {"textDocument": document})
        gc.collect()
        before = sum(isinstance(each, Future) for each in gc.get_objects())
        for version in range(2, 12):
            changed = {"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": MARKED}]}
            say("textDocument/didChange", changed)
        gc.collect()
        assert sum(isinstance(each, Future) for each in gc.get_objects()) <= before
        say("textDocument/didClose", {"textDocument": {"uri": uri}})

    asyncio.run(heard())
