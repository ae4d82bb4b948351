"""What is sent to the workbench to do harm changes nothing, shows nothing from elsewhere, and is answered in words."""

import json
from collections.abc import Iterator
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from support.workbench_client import open_browser, open_socket

from starlette.testclient import TestClient  # isort: skip - support looks whether it is installed
from starlette.websockets import WebSocketDisconnect  # isort: skip

SECRET = "what-nobody-may-see"  # noqa: S105 - of a test
PROGRAM = ("Traceback", "Error(", "Exception", ".py", "NoneType", "object has no", "site-packages")

TITLES = (
    "<script>alert(1)</script>", "</title><script>alert(1)</script>", "</style><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>", "<svg onload=alert(1)>", "<iframe src=//example.org>", "<a href=javascript:alert(1)>x</a>",
    "' onmouseover='alert(1)", "]]><script>alert(1)</script>", "<!--", "--><b>", "&lt;script&gt;",
    "{{ 7 * 7 }}", "{% include 'x' %}", "${7*7}", "%s%n", "`<b>`", "<base href=//example.org>",
    "<meta http-equiv=refresh content=0>", "<link rel=stylesheet href=//example.org>", "<form action=//example.org>",
    "<object data=x>", "<style>*{display:none}</style>", "<math><mi xlink:href=javascript:alert(1)>", "<x-y onclick=alert(1)>",
    "<title>", "</svg><script>alert(1)</script>", "file:///etc/passwd",
)  # fmt: skip

HOSTILE = 'ruleset hostile "<script>alert(0)</script>" revision "</title>"\n' + "".join(
    f'\nprocedure p{number}() "{title}":\n  step {number}.a "{title}":\n    finish  # {title}\n'
    for number, title in enumerate(TITLES)
)


@pytest.fixture(scope="module")
def around(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of rules, with what nobody may see beside it and behind links."""
    top = tmp_path_factory.mktemp("around")
    (top / "secret.rules").write_text(SECRET)
    rules = top / "rules"
    (rules / ".git").mkdir(parents=True)
    (rules / ".git/config.yaml").write_text(SECRET)
    (rules / "hostile.rules").write_text(HOSTILE)
    (rules / "linked.rules").symlink_to(top / "secret.rules")
    (rules / "out").symlink_to(top)
    return top


def state_of(top: Path) -> dict[str, str]:
    files = [each for each in top.rglob("*") if each.is_file() and "kept" not in each.parts]
    return {str(each.relative_to(top)): sha256(each.read_bytes()).hexdigest() for each in files}


@pytest.fixture(scope="module")
def client(around: Path) -> Iterator[TestClient]:
    before = state_of(around)
    with open_browser(around / "rules", around / "kept") as made:
        yield made
    assert state_of(around) == before
    kept = b"".join(each.read_bytes() for each in (around / "kept").rglob("*") if each.is_file())
    assert SECRET.encode() not in kept


def shows_nothing(said: str, around: Path) -> None:
    assert SECRET not in said
    assert str(around) not in said
    assert not any(each in said for each in PROGRAM), said


ASKED = [
    "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc%2fpasswd", "//etc/passwd", "/etc/passwd",
    "/static/../gate.py", "/static/..%2fgate.py", "/static/%2e%2e%2fgate.py", "/static/built.json", "/static/", "/static",
    "/static/workbench.js%00.css", "/static/WORKBENCH.JS", "/static/workbench.js/", "/static/./workbench.js/..", "/%00", "/%ff%fe",
    "/api", "/api/", "/api/none", "/api/file/", "/api/file", "/api/file?path", "/api/file?path=", "/api/file?path=hostile",
    "/api/file?path=..%2fsecret.rules", "/api/file?path=../secret.rules", "/api/file?path=%2e%2e/secret.rules",
    "/api/file?path=linked.rules", "/api/file?path=out/secret.rules", "/api/file?path=out%2fsecret.rules", "/api/file?path=.git/config.yaml",
    "/api/file?path=./.git/config.yaml", "/api/file?path=hostile.rules/../.git/config.yaml", "/api/file?path=%00", "/api/file?path=%ff",
    "/api/file?path=hostile.rules%00", "/api/file?path=file:///etc/passwd", "/api/file?path=/etc/hostname", "/api/file?path=/dev/zero",
    "/api/file?path=//etc/x.yaml", "/api/file?path=%5c%5chost%5cx.rules", "/api/file?path=C:%5cx.rules", "/api/file?path=con.rules",
    "/api/file?path=HOSTILE.rules&path=../secret.rules", "/api/file?path=" + "a/" * 2000 + "x.rules", "/api/file?path=" + "x" * 5000,
    "/api/language", "/api/watch", "/docs", "/openapi.json", "/robots.txt", "/" + "a" * 8000,
]  # fmt: skip


@pytest.mark.parametrize("asked", ASKED, ids=lambda each: ascii(each)[:60])
def test_an_address_that_leads_elsewhere_shows_nothing(client: TestClient, around: Path, asked: str) -> None:
    found = client.get(asked)
    assert found.status_code in {307, 400, 404}, found.text
    shows_nothing(found.text, around)
    if found.status_code != 307:
        assert found.json().keys() == {"problem"}


POSTED = [
    b"", b"{", b"[]", b"null", b"1", b'"x"', b"\xff\xfe", b"[" * 100_000, b'{"path":' * 50_000, b"1" * 10_000, b'{"path": 1}',
    b'{"path": null, "text": null}', b'{"path": ["hostile.rules"], "text": "x", "version": null}', b'{"path": {}, "text": "x"}',
    b'{"path": "../secret.rules", "text": "x", "version": null, "base": "", "mine": 1, "theirs": ""}',
    b'{"path": "out/new.rules", "text": "x", "version": null}', b'{"path": "linked.rules", "text": "x", "version": null}',
    b'{"path": ".git/config.yaml", "text": "x", "version": null}', b'{"path": "x.rules/../../secret.rules", "text": "x"}',
    b'{"path": "\\ud800.rules", "text": "x"}', b'{"path": "new\\u0000.rules", "text": "x"}', b'{"path": "new.exe", "text": "x", "version": null}',
    b'{"path": "--write.rules", "text": "x", "version": null}',
    b'{"path": "hostile.rules", "text": "\\ud800", "version": null, "base": "\\ud800", "mine": "", "theirs": "", "texts": {"../x.rules": ""}}',
]  # fmt: skip
ENDPOINTS = ("file", "file/save", "file/draft", "file/merge", "file/remove", "rules/chapter", "rules/chart")


@pytest.mark.parametrize("endpoint", ENDPOINTS)
@pytest.mark.parametrize("body", POSTED, ids=lambda each: ascii(each)[:60])
def test_a_question_that_is_none_changes_nothing(client: TestClient, around: Path, endpoint: str, body: bytes) -> None:
    found = client.post(f"/api/{endpoint}", content=body, headers={"Content-Type": "application/json"})
    assert 400 <= found.status_code < 500, found.text
    assert set(found.json()) - {"text", "version"} == {"problem"}
    shows_nothing(found.text, around)


def test_more_than_can_be_taken_is_refused(client: TestClient) -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(40):
            yield b" " * 1_000_000

    sent = {"Content-Type": "application/json"}
    assert (
        client.post("/api/file/save", content=b"{}", headers={**sent, "Content-Length": "99999999"}).status_code == 413
    )
    found = client.post("/api/file/save", content=endless(), headers=sent)
    assert (found.status_code, found.json()) == (413, {"problem": "this is more than the workbench can take at once"})


NOT_UNDERSTOOD = [
    "",
    "x",
    "[]",
    "1",
    "null",
    '"x"',
    "{}",
    '{"jsonrpc": "1.0"}',
    "[" * 100_000,
    '{"jsonrpc": "2.0", "id": 1',
]


def test_what_is_no_message_ends_the_socket(client: TestClient) -> None:
    for said in NOT_UNDERSTOOD:
        with open_socket(client, "/api/language") as talk:
            talk.send_text(said)
            with pytest.raises(WebSocketDisconnect) as ended:
                talk.receive_text()
            assert ended.value.code == 1007, said
    with open_socket(client, "/api/watch") as talk:
        for said in NOT_UNDERSTOOD:
            talk.send_text(said)
        talk.send_bytes(b"\xff" * 1000)


ELSEWHERE = [
    "file:///etc/passwd", "file:///rules/../secret.rules", "file:///rules/%2e%2e/secret.rules", "file:///rules/out/secret.rules",
    "file:///rules/linked.rules", "file:///rules/.git/config.yaml", "file:////etc/passwd", "file://host/rules/x.rules", "http://example.org",
    "", "untitled:x", "hostile.rules", "file:///rulesX/x.rules", "file:///rules/x%00.rules", "file:///rules//etc/passwd", "rules",
]  # fmt: skip


def test_the_language_server_speaks_of_no_file_outside(client: TestClient, around: Path) -> None:
    root = client.get("/api/folder").json()["root"]
    assert root == "file:///rules"
    with open_socket(client, "/api/language") as talk:

        def asked(id_: int, method: str, params: Any) -> dict[str, Any]:
            talk.send_json({"jsonrpc": "2.0", "id": id_, "method": method, "params": params})
            while True:
                text = talk.receive_text()
                shows_nothing(text, around)
                said: dict[str, Any] = json.loads(text)
                if said.get("id") == id_:
                    return said

        folders = [{"uri": root, "name": "rules"}]
        begun = asked(
            0, "initialize", {"capabilities": {}, "rootUri": root, "rootPath": "/", "workspaceFolders": folders}
        )
        assert "capabilities" in begun["result"]
        talk.send_json({"jsonrpc": "2.0", "method": "initialized", "params": {}})
        for number, uri in enumerate(ELSEWHERE, 1):
            opened = {
                "uri": uri,
                "languageId": "rulewright",
                "version": 1,
                "text": 'ruleset x\nuse "../secret.rules"\n',
            }
            talk.send_json({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": opened}})
            refused = asked(number, "textDocument/documentSymbol", {"textDocument": {"uri": uri}})
            assert refused["error"]["message"] == "this file is not in the folder" or "cannot be the name" in str(
                refused["error"]
            )
        text = 'ruleset x "file:///etc/passwd"\nuse "../secret.rules"\nuse "out/secret.rules"\n'
        mine = {"uri": f"{root}/hostile.rules", "languageId": "rulewright", "version": 1, "text": text}
        talk.send_json({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": mine}})
        symbols = asked(99, "textDocument/documentSymbol", {"textDocument": {"uri": mine["uri"]}})
        assert "error" not in symbols


class Page(HTMLParser):
    """The elements and attributes of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[tuple[str, str, str]] = set()
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found |= {(tag, "", ""), *((tag, name, value or "") for name, value in attrs)}

    def handle_data(self, data: str) -> None:
        self.text.append(data)


TAGS = {"html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "h4", "ul", "li", "p", "a", "nav", "main", "section", "div", "span", "table", "tr", "th", "td", "code", "wbr"}  # fmt: skip


def test_a_hostile_ruleset_shows_its_text_and_nothing_else(client: TestClient, around: Path) -> None:
    found = client.post("/api/rules/chapter", json={"path": "hostile.rules"}).json()
    page = Page()
    page.feed(found["page"])
    assert {tag for tag, _, _ in page.found} <= TAGS
    assert {name for _, name, _ in page.found} <= {"", "lang", "charset", "name", "content", "class", "id", "href"}
    assert all(value.startswith("#") for _, name, value in page.found if name == "href")
    shown = "".join(page.text)
    assert all(each in shown for each in TITLES if "`" not in each)
    for procedure in (f"p{number}" for number in (0, 10, 19, 26)):
        drawn = client.post("/api/rules/chart", json={"path": "hostile.rules", "procedure": procedure}).json()
        parts = [each.tag.rpartition("}")[2] for each in ET.fromstring(drawn["svg"]).iter()]  # noqa: S314 - of ours
        assert set(parts) <= {"svg", "style", "title", "defs", "marker", "path", "rect", "text"}
    typed = {"hostile.rules": HOSTILE.replace(TITLES[0], "\u202etfel ot thgir\ufeff")}
    unseen = client.post("/api/rules/chapter", json={"path": "hostile.rules", "texts": typed})
    assert unseen.status_code == 422
    assert "<U+202E>" in unseen.json()["problem"]
    assert not set("\u202e\ufeff") & set(unseen.json()["problem"])
    refused = client.post("/api/rules/chart", json={"path": "hostile.rules", "procedure": "--write=x"})
    assert refused.status_code == 422
    shows_nothing(refused.text, around)
