"""Who may ask the workbench, and what every answer says of itself."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.workbench_client import BASE, OURS, PORT, TOKEN, make_gate, open_browser, open_socket

from starlette.testclient import TestClient  # isort: skip - support looks whether it is installed
from starlette.websockets import WebSocketDisconnect  # isort: skip


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("rules")
    (folder / "duel.rules").write_text("ruleset duel\n")
    with open_browser(folder, tmp_path_factory.mktemp("kept"), is_let_in=False) as client:
        yield client


COOKIE = {"Cookie": f"rulewright-{PORT}={TOKEN}"}


def test_the_first_address_is_changed_for_a_cookie_that_no_script_reads(stranger: TestClient) -> None:
    assert stranger.get("/").status_code == 403
    let_in = stranger.get(f"/?token={TOKEN}")
    assert (let_in.status_code, let_in.headers["location"]) == (303, "/")
    assert let_in.headers["set-cookie"] == f"rulewright-{PORT}={TOKEN}; Path=/; HttpOnly; SameSite=Strict"
    stranger.cookies.clear()
    assert stranger.get("/api/files", headers=COOKIE).status_code == 200
    with open_socket(stranger, "/api/watch", COOKIE):
        pass


def test_every_answer_forbids_what_comes_from_elsewhere(stranger: TestClient) -> None:
    for path, status in (("/", 200), ("/api/files", 200), ("/nothing", 404), ("/api/file?path=../x", 400)):
        found = stranger.get(path, headers=COOKIE)
        assert found.status_code == status
        policy = found.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
        assert "unsafe" not in policy
        assert found.headers["x-content-type-options"] == "nosniff"
        assert found.headers["cache-control"] == "no-store"
        assert "server" not in found.headers


ELSEWHERE = [
    {"Host": "example.org"},
    {"Host": f"example.org:{PORT}"},
    {"Host": "127.0.0.1"},
    {"Host": f"127.0.0.1:{PORT + 1}"},
    {"Host": f"127.0.0.1.example.org:{PORT}"},
    {"Host": f"localhost.:{PORT}"},
    {"Host": f"[::1]:{PORT}"},
    {"Host": ""},
    {"Origin": "null"},
    {"Origin": "http://example.org"},
    {"Origin": f"https://127.0.0.1:{PORT}"},
    {"Origin": f"http://127.0.0.1:{PORT + 1}"},
    {"Origin": f"http://127.0.0.1:{PORT}.example.org"},
    {"Origin": f"{BASE} http://example.org"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
]


@pytest.mark.parametrize("heads", ELSEWHERE, ids=str)
def test_what_another_page_asks_is_not_answered(stranger: TestClient, heads: dict[str, str]) -> None:
    found = stranger.get("/api/files", headers={**COOKIE, **heads})
    assert (found.status_code, found.json()) == (
        403,
        {"problem": "this request did not come from the workbench"},
    )
    with pytest.raises(WebSocketDisconnect), open_socket(stranger, "/api/watch", {**COOKIE, **heads}):
        pass


UNKNOWN = [
    {},
    {"Cookie": ""},
    {"Cookie": f"rulewright-{PORT}="},
    {"Cookie": f"rulewright-{PORT}={TOKEN[:-1]}"},
    {"Cookie": f"rulewright-{PORT}={TOKEN}x"},
    {"Cookie": f"rulewright-{PORT + 1}={TOKEN}"},
    {"Cookie": f"rulewright={TOKEN}"},
    {"Cookie": f"rulewright-{PORT}=\xe9"},
    {"Cookie": "=;=;=" * 50},
    {"Authorization": f"Bearer {TOKEN}"},
]


@pytest.mark.parametrize("heads", UNKNOWN, ids=str)
def test_who_was_not_let_in_is_told_how(stranger: TestClient, heads: dict[str, str]) -> None:
    stranger.cookies.clear()
    raw = {name: value.encode("latin-1") for name, value in heads.items()}
    found = stranger.get("/api/files", headers=raw)
    told = "open the address that `rulewright studio` printed; it lets one browser in"
    assert (found.status_code, found.json()) == (403, {"problem": told})
    with pytest.raises(WebSocketDisconnect), open_socket(stranger, "/api/language", raw):
        pass


@pytest.mark.parametrize(
    "query", ["token=", "token=x", f"Token={TOKEN}", f"token={TOKEN}x", "token=%00", "token=%C3%A9"]
)
def test_a_wrong_token_lets_nobody_in(stranger: TestClient, query: str) -> None:
    stranger.cookies.clear()
    found = stranger.get(f"/?{query}")
    assert found.status_code == 403
    assert "set-cookie" not in found.headers


@pytest.mark.parametrize(
    "heads",
    [
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Content-Type": "multipart/form-data; boundary=x"},
        {"Content-Type": "application/jsonx"},
        {"X-Rulewright": ""},
    ],
    ids=str,
)
def test_a_form_of_another_page_changes_nothing(stranger: TestClient, heads: dict[str, str]) -> None:
    body = b'{"path": "new.rules", "text": "ruleset new", "version": null}'
    whole = {**COOKIE, "Content-Type": "application/json", **heads}
    assert stranger.post("/api/file/save", content=body, headers=whole).status_code == 403
    assert [each["path"] for each in stranger.get("/api/files", headers=COOKIE).json()["files"]] == ["duel.rules"]


def test_a_fault_is_told_without_a_word_of_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(_: object) -> None:
        raise ZeroDivisionError(str(tmp_path))

    gate = make_gate(tmp_path, tmp_path)
    monkeypatch.setattr("rulewright.studio.work_folder.WorkFolder.scan_files", failing)
    with TestClient(gate, BASE, headers={**OURS, **COOKIE}) as client:
        found = client.get("/api/files")
    assert found.status_code == 500
    assert found.json()["problem"].startswith("this is a fault of rulewright itself, not of your rules;")
    assert "ZeroDivision" not in found.text
    assert str(tmp_path) not in found.text
