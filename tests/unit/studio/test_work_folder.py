"""The files of a folder: which names are taken, and how they are read, saved and kept."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.workbench_client import open_browser, open_socket

from starlette.testclient import TestClient  # isort: skip - support looks whether it is installed


from rulewright.studio.files_api import find_owners
from rulewright.studio.request_table import RequestProblem
from rulewright.studio.work_folder import WorkFolder
from rulewright.studio.workbench import DocumentStore, DraftStore

DUEL = 'ruleset duel "Duel"\n'


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    made = tmp_path / "rules"
    made.mkdir()
    (made / "duel.rules").write_text(DUEL)
    return made


@pytest.fixture
def client(rules: Path, tmp_path: Path) -> Iterator[TestClient]:
    with open_browser(rules, tmp_path / "kept") as made:
        yield made


def saved(client: TestClient, text: str, version: str | None, path: str = "duel.rules") -> tuple[int, dict[str, str]]:
    found = client.post("/api/file/save", json={"path": path, "text": text, "version": version})
    return found.status_code, found.json()


def test_files_are_listed_with_what_they_are_for(rules: Path) -> None:
    for place in (
        "a.scenario.yaml",
        "b.state.yaml",
        "notes.md",
        "inside/c.script.yaml",
        ".hidden.yaml",
        "x.png",
        "no.toml",
    ):
        (rules / place).parent.mkdir(exist_ok=True)
        (rules / place).write_text("ruleset: duel.rules\n")
    (rules / "house.rules").write_text("# ours\namends duel\n")
    (rules / "round").symlink_to(rules)
    (rules / "outside.rules").symlink_to("/etc/hostname")
    assert [(each.path, each.sort, each.header_word, each.names) for each in WorkFolder(rules).scan_files()] == [
        ("a.scenario.yaml", "scenario", "", ("duel.rules",)),
        ("b.state.yaml", "state", "", ("duel.rules",)),
        ("duel.rules", "rules", "ruleset", ()),
        ("house.rules", "rules", "amends", ()),
        ("inside/c.script.yaml", "script", "", ("duel.rules",)),
        ("notes.md", "other", "", ()),
    ]


def test_a_file_belongs_to_the_ruleset_that_uses_or_is_named_by_it(rules: Path) -> None:
    for place, text in {
        "duel.rules": 'ruleset duel\nuse "dice.rules"\n',
        "other.rules": 'ruleset other\nuse "dice.rules"\nuse "inside/own.rules"\n',
        "dice.rules": 'use "more.rules"\nuse "dice.rules"\n',
        "more.rules": "",
        "loose.rules": "",
        "inside/own.rules": "",
        "inside/x.scenario.yaml": "ruleset: ../other.rules  # this one\n",
        "inside/y.scenario.yaml": "ruleset: nowhere.rules\n",
        "alone/only.rules": "ruleset only\n",
        "alone/examples/state.yaml": "",
    }.items():
        (rules / place).parent.mkdir(parents=True, exist_ok=True)
        (rules / place).write_text(text)
    assert find_owners(WorkFolder(rules).scan_files()) == {
        "alone/only.rules": "alone/only.rules",
        "alone/examples/state.yaml": "alone/only.rules",
        "dice.rules": "duel.rules",
        "duel.rules": "duel.rules",
        "inside/own.rules": "other.rules",
        "inside/x.scenario.yaml": "other.rules",
        "more.rules": "duel.rules",
        "other.rules": "other.rules",
    }


def test_a_text_is_saved_over_what_it_was_made_from_and_nothing_else(client: TestClient, rules: Path) -> None:
    held = client.get("/api/file?path=duel.rules").json()
    assert (held["text"], held["draft"]) == (DUEL, None)
    status, made = saved(client, DUEL + "# one\n", held["version"])
    assert status == 200
    status, refused = saved(client, DUEL + "# two\n", held["version"])
    assert status == 409
    assert refused == {
        "problem": "`duel.rules` was changed somewhere else since you opened it",
        "text": DUEL + "# one\n",
        "version": made["version"],
    }
    assert (rules / "duel.rules").read_text() == DUEL + "# one\n"


def test_a_new_file_takes_no_place_that_is_taken(client: TestClient, rules: Path) -> None:
    assert saved(client, "text", None)[0] == 409
    assert saved(client, "text", None, "new/deep.rules")[0] == 200
    assert (rules / "new/deep.rules").read_text() == "text"
    (rules / "duel.rules").unlink()
    status, refused = saved(client, "text", "some version")
    assert (status, refused["problem"], refused["text"]) == (409, "`duel.rules` is not there any more", None)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"one\r\ntwo\r\n", b"one\r\ntwo\r\nthree\r\n"),
        (b"one\ntwo\n", b"one\ntwo\nthree\n"),
        (b"\xef\xbb\xbfone\ntwo\n", b"\xef\xbb\xbfone\ntwo\nthree\n"),
        (b"one\r\ntwo\n", b"one\ntwo\nthree\n"),
    ],
)
def test_line_ends_and_mark_of_a_file_stay(client: TestClient, rules: Path, before: bytes, after: bytes) -> None:
    (rules / "duel.rules").write_bytes(before)
    held = client.get("/api/file?path=duel.rules").json()
    assert held["text"] == "one\ntwo\n"
    assert saved(client, "one\ntwo\nthree\n", held["version"])[0] == 200
    assert (rules / "duel.rules").read_bytes() == after


def test_a_full_disk_leaves_the_file_as_it_was_and_says_so(
    client: TestClient, rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = client.get("/api/file?path=duel.rules").json()
    real = os.fdopen

    def full(handle: int, mode: str) -> object:
        if mode != "wb":
            return real(handle, mode)
        real(handle, mode).close()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("rulewright.base.files.os.fdopen", full)
    told = "`duel.rules` is not saved: the disk is full; what you typed stays here"
    assert saved(client, "half", held["version"]) == (507, {"problem": told})
    draft = {"path": "duel.rules", "text": "half", "version": held["version"], "tab": "t"}
    assert client.post("/api/file/draft", json=draft).status_code == 507
    assert [each.name for each in rules.iterdir()] == ["duel.rules"]
    assert (rules / "duel.rules").read_text() == DUEL


def test_a_read_only_file_is_left_alone(client: TestClient, rules: Path) -> None:
    (rules / "duel.rules").chmod(0o444)
    held = client.get("/api/file?path=duel.rules").json()
    told = "`duel.rules` is not saved: it is read-only; what you typed stays here"
    assert saved(client, "other", held["version"]) == (403, {"problem": told})


def test_a_file_is_removed_as_it_was_seen(client: TestClient, rules: Path) -> None:
    held = client.get("/api/file?path=duel.rules").json()
    assert client.post("/api/file/remove", json={"path": "duel.rules", "version": "other"}).status_code == 409
    assert client.post("/api/file/remove", json={"path": "duel.rules", "version": held["version"]}).status_code == 200
    assert not (rules / "duel.rules").exists()
    found = client.get("/api/file?path=duel.rules")
    assert (found.status_code, found.json()) == (404, {"problem": "there is no file `duel.rules` any more"})


def test_what_is_no_text_is_not_shown(client: TestClient, rules: Path) -> None:
    (rules / "duel.rules").write_bytes(b"\xff\xfe")
    found = client.get("/api/file?path=duel.rules")
    assert found.json() == {"problem": "`duel.rules` is not UTF-8, so it cannot be shown; save it as UTF-8"}


def test_what_was_typed_is_kept_until_it_is_saved(client: TestClient, rules: Path) -> None:
    held = client.get("/api/file?path=duel.rules").json()
    typed = {"path": "duel.rules", "text": DUEL + "typed\n", "version": held["version"], "tab": "first"}
    assert client.post("/api/file/draft", json=typed).status_code == 200
    (rules / "duel.rules").write_text("# theirs\n" + DUEL)
    found = client.get("/api/file?path=duel.rules").json()
    assert {name: found["draft"][name] for name in ("text", "version", "base", "tab")} == {
        "text": DUEL + "typed\n",
        "version": held["version"],
        "base": DUEL,
        "tab": "first",
    }
    whole = {"base": DUEL, "mine": found["draft"]["text"], "theirs": found["text"]}
    made = client.post("/api/file/merge", json=whole).json()
    assert made == {"text": "# theirs\n" + DUEL + "typed\n", "conflicts": []}
    assert saved(client, made["text"], found["version"])[0] == 200
    assert client.post("/api/file/draft", json={**typed, "text": None}).status_code == 200
    assert client.get("/api/file?path=duel.rules").json()["drafts"] == []


def test_two_tabs_keep_apart_what_they_typed(client: TestClient) -> None:
    held = client.get("/api/file?path=duel.rules").json()
    for tab in ("one", "two"):
        text = {"path": "duel.rules", "text": f"{DUEL}{tab}\n", "version": held["version"], "tab": tab}
        client.post("/api/file/draft", json=text)
    with open_socket(client, "/api/watch?tab=two"):
        found = client.get("/api/file?path=duel.rules").json()
    assert [(each["tab"], each["open"]) for each in found["drafts"]] == [("two", True), ("one", False)]
    assert found["draft"]["tab"] == "one"


def test_a_draft_of_a_file_that_is_gone_is_not_lost(client: TestClient, rules: Path) -> None:
    client.post("/api/file/draft", json={"path": "never.rules", "text": "typed", "version": None, "tab": "t"})
    assert client.get("/api/files").json()["lost"] == ["never.rules"]
    found = client.get("/api/file?path=never.rules").json()
    assert (found["text"], found["version"], found["draft"]["text"]) == ("", None, "typed")
    assert not (rules / "never.rules").exists()


def test_what_is_typed_into_a_file_that_goes_is_kept(client: TestClient, rules: Path) -> None:
    held = client.get("/api/file?path=duel.rules").json()
    (rules / "duel.rules").unlink()
    typed = {"path": "duel.rules", "text": "typed", "version": held["version"], "tab": "t"}
    assert client.post("/api/file/draft", json=typed).status_code == 200
    found = client.get("/api/file?path=duel.rules").json()
    assert (found["version"], found["draft"]["text"]) == (None, "typed")


def test_a_damaged_draft_counts_as_none(rules: Path, tmp_path: Path) -> None:
    drafts = DraftStore(WorkFolder(rules), DocumentStore(rules, "drafts", tmp_path / "kept"))
    drafts.keep_draft("duel.rules", "t", "typed", None)
    (file,) = (tmp_path / "kept").rglob("*.*")
    for content in (b"", b"{}", b"[1]", file.read_bytes()[:-4], b'{"path": 1}'):
        file.write_bytes(content)
        assert drafts.drafts_of("duel.rules") == ()
        assert drafts.drafted_paths() == frozenset()


def test_tabs_hear_of_what_changed_on_the_disk(client: TestClient, rules: Path) -> None:
    with open_socket(client, "/api/watch?tab=one") as one, open_socket(client, "/api/watch?tab=two") as two:
        (rules / "new.rules").write_text("ruleset new\n")
        (rules / "duel.rules").unlink()
        for tab in (one, two):
            heard: dict[str, bool] = {}
            while len(heard) < 2:
                heard |= {each["path"]: each["version"] is None for each in tab.receive_json()["changed"]}
            assert heard == {"duel.rules": True, "new.rules": False}
        client.post("/api/file/draft", json={"path": "new.rules", "text": "x", "version": None, "tab": "one"})
        assert two.receive_json() == {"typing": {"path": "new.rules", "tab": "one"}}


NO_NAMES = [
    "", "/", ".", "..", "../x.rules", "a/../../x.rules", "/etc/passwd", "/etc/x.rules", "//host/x.rules", "~/x.rules",
    "..%2fx.rules/../..", "a/./../../x.rules", "..\\x.rules", "C:\\x.rules", "C:x.rules", "x.rules:stream", "x.rules\0.md",
    "\0", "x\n.rules", "x\x1b[2J.rules", "\u202ex.rules", "\u061cx.rules", "x\u200b.rules", "x\ufeff.rules", "\ud800.rules", "x.rules ", "x.rules.", " x.rules", "-x.rules",
    "--html.rules", "con.rules", "NUL.rules", "com1.yaml", "aux.json", "lpt9.rules", ".git/config", ".hidden.rules",
    ".git/x.yaml", "a/.b/x.rules", "x", "x.py", "x.sh", "x.html", "x.svg", "x.exe", "x.rules.py", "pyproject.toml",
    "*.rules", "x?.rules", "<x>.rules", 'x".rules', "x|y.rules", "a" * 300 + ".rules", "a/" * 20 + "x.rules",
    "a/" * 300 + "x.rules", "file:///etc/x.rules", "http://x/y.rules", "folder.rules", "pipe.rules", "outside.rules",
    "out/x.rules", "loop.rules", "dangling.rules",
]  # fmt: skip


@pytest.mark.parametrize("name", NO_NAMES, ids=ascii)
def test_a_name_that_leads_elsewhere_is_none(rules: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "secret.rules").write_text("secret")
    (rules / "folder.rules").mkdir()
    os.mkfifo(rules / "pipe.rules")
    (rules / "outside.rules").symlink_to(tmp_path / "secret.rules")
    (rules / "out").symlink_to(tmp_path)
    (rules / "loop.rules").symlink_to("loop.rules")
    (rules / "dangling.rules").symlink_to(tmp_path / "not-there.rules")
    folder, before = WorkFolder(rules), sorted(map(str, tmp_path.rglob("*")))
    asked = (
        lambda: folder.read_content(name),
        lambda: folder.save_text(name, "x", None),
        lambda: folder.remove_unchanged(name, "x"),
    )
    for each in asked:
        with pytest.raises(RequestProblem, match=r"cannot be the name of a file here$") as told:
            each()
        assert str(tmp_path) not in told.value.message
        assert told.value.message.isprintable()
    assert sorted(map(str, tmp_path.rglob("*"))) == before
    assert [each.path for each in folder.scan_files()] == ["duel.rules"]


def test_what_a_save_left_that_was_cut_off_is_gone_at_the_next_start(rules: Path, tmp_path: Path) -> None:
    below = rules / "below"
    below.mkdir()
    (below / "house.rules").write_text("")
    left = [folder / f".{name}.k3j2h1x8.unfinished" for folder, name in ((rules, "duel.rules"), (below, "house.rules"))]
    others = [rules / ".duel.rules.k3j2h1x8", rules / ".hidden", rules / "notes.unfinished"]
    for each in (*left, *others):
        each.write_text("half")
        os.utime(each, (0, 0))
    young = rules / ".duel.rules.aaaaaaaa.unfinished"
    young.write_text("somebody writes this just now")
    with open_browser(rules, tmp_path / "kept"):
        assert not any(each.exists() for each in left)
        assert all(each.exists() for each in (*others, young))
