"""Rules of strangers: what they may have read, what git may do for them, and what was kept before."""

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest

from rulewright import api
from rulewright.base import disk_cache
from rulewright.base.disk_cache import CacheBucket
from support.duel_example import RULES, START, STATE, STRIKE_RULES, RunCommand
from support.git_repository import GitRepository

BASE = 'ruleset base "Base" revision "1"\nkind Unit, units:\n  hits: 0..9 = 0\n'
USING = """\
ruleset mine "Mine" revision "1"
use "../lib/base.rules" as base
procedure go(u: base.Unit) "Go":
  step 1 "Go":
    add up to 1 to u.hits
"""
LEAK = "TOKEN=hunter2 in the wind\n"
SCENARIO = """\
procedure: strike
with: {striker: gawain, target: mordred}
state: STATE
scenarios:
  one: {script: [[1]], expect: {changes: {}}}
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A folder whose rules use those of another beside it."""
    for name, content in {"mine/mine.rules": USING, "lib/base.rules": BASE, "out/secret.rules": LEAK}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    (tmp_path / "out" / "secret.json").write_text(f'{{"players": ["{LEAK.strip()}"]}}', encoding="utf-8")
    return tmp_path / "mine"


def test_what_is_used_outside_of_the_folder_is_not_read_by_python(run: RunCommand, mine: Path) -> None:
    del run, mine
    with pytest.raises(api.WrongInputError, match="RW0020"):
        api.load("mine")


@pytest.mark.parametrize("top", [".git", "rulewright.toml"])
def test_the_nearest_project_or_repository_above_is_the_bound(top: str, run: RunCommand, mine: Path) -> None:
    (mine.parent / top).touch()
    assert run("check", "mine").exit == 0
    (mine / "rulewright.toml").touch()
    assert run("check", "mine").exit == 2


def test_folders_are_allowed_by_the_command_and_by_the_project_file(run: RunCommand, mine: Path) -> None:
    assert run("check", "mine", "--allow", "a\0b").err.startswith(
        "error RW0783: `--allow` does not fit: there is no fol"
    )
    assert api.check("mine", allow=["lib"]) == ()
    (mine / "rulewright.toml").write_text('allow = ["../lib"]\n', encoding="utf-8")
    assert api.check("mine") == ()


def test_a_project_file_that_is_a_link_is_not_read(run: RunCommand, mine: Path) -> None:
    (mine / "rulewright.toml").symlink_to(mine.parent / "out" / "secret.rules")
    done = run("check", "mine")
    assert (done.exit, done.err.splitlines()[0]) == (2, "error RW0018: the project file cannot be read: it is a link")
    assert "hunter2" not in done.out + done.err


LEADING = {
    "use": {"mine.rules": 'ruleset mine "Mine" revision "1"\nuse "secret.rules"\n'},
    "amends": {"mine.rules": 'amends secret revision "1"\n'},
    "the main file": {"mine.rules": ""},
    "clause list": {"mine.rules": 'ruleset mine "Mine" revision "1"\ndocument DOC "Doc"\n', "DOC.clauses.yaml": ""},
}


@pytest.mark.parametrize("case", LEADING)
def test_links_are_followed_only_inside(case: str, run: RunCommand, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(f"clauses: [{LEAK.strip()}]\n{LEAK}", encoding="utf-8")
    folder = tmp_path / "folder"
    (folder / ".git").mkdir(parents=True)
    (folder / "secret.rules").symlink_to("../secret")
    for name, content in LEADING[case].items():
        if content:
            (folder / name).write_text(content, encoding="utf-8")
        else:
            (folder / name).symlink_to("../secret")
    for command in (
        ("check", "folder/mine.rules"),
        ("check", "folder"),
        ("fmt", "folder", "--check"),
        ("trace", "folder"),
    ):
        done = run(*command)
        assert "hunter2" not in done.out + done.err
    assert run("check", "folder/mine.rules").exit in {1, 2}
    assert (tmp_path / "secret").read_text(encoding="utf-8").endswith(LEAK)


def test_what_the_environment_holds_is_not_told(run: RunCommand, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "environment.rules").symlink_to("/proc/self/environ")
    (tmp_path / "a.rules").write_text('ruleset a "A" revision "1"\nuse "environment.rules"\n', encoding="utf-8")
    done = run("check", "a.rules")
    assert (done.exit, done.out.splitlines()[0]) == (2, "error RW0020: `environment.rules` leads outside the project")
    assert run("check", "environment.rules").exit == 2


@pytest.mark.parametrize("written", ["passwd", "duel.rules.txt", "state.yaml", "", "duel\0.rules"])
def test_only_files_of_rules_are_used(written: str, run: RunCommand, tmp_path: Path) -> None:
    for name in ("passwd", "duel.rules.txt"):
        (tmp_path / name).write_text(LEAK, encoding="utf-8")
    (tmp_path / "a.rules").write_text(f'ruleset a "A" revision "1"\nuse "{written}"\n', encoding="utf-8")
    done = run("check", "a.rules")
    assert done.exit in {1, 2}
    assert "hunter2" not in done.out + done.err


@pytest.mark.parametrize(
    ("lines", "place"),
    [
        ("ruleset: ../out/secret.rules\n", "1:10"),
        ("ruleset: duel.rules\noverlays: [../out/secret.rules]\n", "2:12"),
        ("ruleset: duel.rules\noverlays: [secret]\n", "2:12"),
    ],
)
def test_what_a_scenario_names_outside_is_not_read(lines: str, place: str, run: RunCommand, mine: Path) -> None:
    (mine / "secret.rules").symlink_to("../out/secret.rules")
    (mine / "duel.rules").write_text(RULES, encoding="utf-8")
    scenario = SCENARIO.replace("STATE", "state.yaml")
    (mine / "state.yaml").write_text(STATE, encoding="utf-8")
    (mine / "a.scenario.yaml").write_text(lines + scenario, encoding="utf-8")
    for command in (("test", "mine"), ("run", "mine/a.scenario.yaml"), ("cover", "mine"), ("mutate", "mine")):
        done = run(*command)
        assert done.exit == 2
        assert "RW0020" in done.out + done.err
        assert f"mine/a.scenario.yaml:{place}" in done.out + done.err
        assert "hunter2" not in done.out + done.err


def run_process(folder: Path, *words: str, typed: str | None = None) -> "subprocess.CompletedProcess[str]":
    """A command as a process of its own, which does not wait for ever."""
    command = [sys.executable, "-m", "rulewright", *words]
    return subprocess.run(command, cwd=folder, input=typed, capture_output=True, text=True, timeout=60, check=False)


def test_what_lies_in_a_folder_and_is_no_file_holds_nothing_up(tmp_path: Path) -> None:
    (tmp_path / "duel.rules").write_text(RULES, encoding="utf-8")
    for name in ("pipe.rules", "pipe.scenario.yaml", "DOC.clauses.yaml"):
        os.mkfifo(tmp_path / name)
    for command, ended in {"check": 2, "fmt": 2, "test": 2, "trace": 2, "check duel.rules": 0, "cover": 2}.items():
        words = command.split() if " " in command else [command, "."]
        done = run_process(tmp_path, *words)
        assert done.returncode == ended, (command, done.stdout, done.stderr)
        assert ended == 0 or "RW0019" in done.stdout + done.stderr


def test_what_is_named_itself_is_read_as_it_is(tmp_path: Path) -> None:
    assert run_process(tmp_path, "check", "/dev/stdin", typed=RULES).returncode == 0


def test_a_folder_that_cannot_be_looked_into_is_told(
    run: RunCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "closed").mkdir()
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: "closed" not in str(path) and access(path, mode))
    message = "error RW0003: `closed` cannot be read: permission denied"
    (tmp_path / "other.rules").write_text(STRIKE_RULES.replace("duel", "other"), encoding="utf-8")
    for command in (
        ("check", "closed"),
        ("check", "."),
        ("test", "."),
        ("fmt", "closed"),
        ("fmt", "."),
        ("trace", "closed"),
    ):
        done = run(*command)
        assert done.exit == 2, command
        assert message in (done.out + done.err).splitlines(), command


LAZY = ("extensions.partialClone", "remote.origin.promisor", "remote.origin.url")


def test_git_fetches_nothing_and_starts_nothing(
    run: RunCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = GitRepository(tmp_path)
    repository.commit()
    blob = repository.git("rev-parse", "HEAD:duel.rules").strip()
    started = tmp_path / "started"
    program = f"touch {started}; false"
    for key, value in zip(LAZY, ("origin", "true", f"ext::sh -c touch% {started}"), strict=True):
        repository.git("config", key, value)
    for key in ("core.fsmonitor", "core.sshCommand", "diff.external", "core.pager", "credential.helper"):
        repository.git("config", key, f"!{program}" if "helper" in key else program)
    repository.git("config", "protocol.allow", "always")
    hooks = tmp_path / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-index-change", "reference-transaction", "post-checkout"):
        (hooks / name).write_text(f"#!/bin/sh\n{program}\n", encoding="utf-8")
        (hooks / name).chmod(0o755)
    assert run("diff", "--git", "HEAD", "duel.rules", "--work", "1000").exit == 0
    (tmp_path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "ext")
    done = run("diff", "--git", "HEAD", "duel.rules", "--work", "1000")
    assert done.exit == 2
    assert not started.exists()


def test_git_is_not_led_elsewhere_by_the_environment(
    run: RunCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    GitRepository(tmp_path).commit()
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_WORK_TREE", "/")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.worktree")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "/")
    assert run("diff", "--git", "HEAD", "duel.rules", "--work", "1000").exit == 0


SHELF = CacheBucket("things", max_entries=3, max_bytes=1000)


@pytest.mark.parametrize("loose", ["things", "."])
def test_what_was_kept_where_others_could_write_is_made_anew(
    loose: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk_cache, "user_cache_path", lambda _: tmp_path / "cache")
    SHELF.store_bytes("a", b"one")
    assert SHELF.load_bytes("a") == b"one"
    folder = tmp_path / "cache" / loose
    folder.chmod(0o777)
    assert SHELF.load_bytes("a") is None
    SHELF.store_bytes("b", b"two")
    assert folder.stat().st_mode & 0o777 == 0o700
    assert SHELF.load_bytes("b") == b"two"
    assert loose == "." or SHELF.load_bytes("a") is None


def test_what_others_own_or_could_write_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk_cache, "user_cache_path", lambda _: tmp_path / "cache")
    SHELF.store_bytes("a", b"one")
    kept = tmp_path / "cache" / "things" / "a"
    kept.chmod(0o666)
    assert SHELF.load_bytes("a") is None
    kept.chmod(0o600)
    assert SHELF.load_bytes("a") == b"one"
    own = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: own + 1)
    assert SHELF.load_bytes("a") is None
    SHELF.store_bytes("b", b"two")
    assert not kept.with_name("b").exists()


def test_a_link_in_place_of_what_was_kept_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk_cache, "user_cache_path", lambda _: tmp_path / "cache")
    SHELF.store_bytes("a", b"one")
    kept = tmp_path / "cache" / "things" / "a"
    kept.rename(tmp_path / "a")
    kept.symlink_to(tmp_path / "a")
    assert SHELF.load_bytes("a") is None
    (tmp_path / "cache" / "things").rename(tmp_path / "things")
    (tmp_path / "cache" / "things").symlink_to(tmp_path / "things")
    assert SHELF.load_bytes("a") is None


@pytest.mark.parametrize("option", ["--save", "--record"])
@pytest.mark.parametrize("name", ["x" * 300, "a\0b", "x" * 250 + "é" * 3, "\udcff\ud800"])
def test_names_that_are_not_possible_are_told_before_the_play(
    option: str, name: str, run: RunCommand, tmp_path: Path
) -> None:
    before = sorted(tmp_path.iterdir())
    named = f"{name}.scenario.yaml" if option == "--record" else name
    done = run("run", *START, "--seed", "1", "--policy", "first", option, named)
    assert (done.exit, done.out) == (2, "")
    assert done.err.startswith("error RW0011: ")
    assert sorted(tmp_path.iterdir()) == before


def test_a_read_only_file_is_not_replaced(run: RunCommand, tmp_path: Path) -> None:
    rules = tmp_path / "duel.rules"
    rules.write_text(f"{RULES}\n\n\n", encoding="utf-8")
    run("run", *START, "--seed", "1", "--policy", "first", "--save", "a.json")
    for path in (rules, tmp_path / "a.json"):
        path.chmod(0o444)
    before = rules.read_bytes(), (tmp_path / "a.json").read_bytes()
    done = run("fmt", "duel.rules")
    assert (done.exit, done.err) == (2, "error RW0011: `duel.rules` cannot be written: it is read-only\n")
    done = run("run", *START, "--seed", "2", "--policy", "first", "--save", "a.json")
    assert (done.exit, done.out) == (2, "")
    assert (rules.read_bytes(), (tmp_path / "a.json").read_bytes()) == before


def test_verdicts_are_kept_in_files_of_a_bounded_size(run: RunCommand, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "large").touch()
    os.truncate(tmp_path / "large", 64_000_001)
    assert run("mutate", "pig", "--resume", "pipe").err.startswith("error RW1067: ")
    assert run("mutate", "pig", "--resume", "large").exit == 3
    assert run("mutate", "pig", "--resume", "/dev/zero").exit == 2


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["check", "--help"]])
def test_a_full_disk_is_noticed(arguments: list[str]) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "rulewright", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    message = "error RW0011: the output cannot be written: no space left on device\n"
    assert (done.returncode, done.stderr) == (2, message)


NOTED = RULES.replace("  health: 0..9\n", '  health: 0..9\n  note: text = ""\n')
STEERING = ["\x9b31m", "\ufeffx", "\u202ex", "\ufffe", "\u2028", "\x7f", "\u200f", "\x1b[2J", "\U000e0041"]


@pytest.mark.parametrize("text", STEERING)
def test_characters_that_steer_are_spelt_out(text: str, run: RunCommand, tmp_path: Path) -> None:
    (tmp_path / "duel.rules").write_text(NOTED, encoding="utf-8")
    escaped = "".join(f"\\U{ord(each):08x}" for each in text)
    state = STATE.replace("health: 5", f'health: 5, note: "{escaped}"')
    (tmp_path / "state.yaml").write_text(state, encoding="utf-8")
    files = ["--save", "a.json", "--record", "a.scenario.yaml"]
    done = run("run", *START, "--seed", "1", "--policy", "first", "--format", "json", *files)
    assert done.exit == 0
    assert done.out.replace("\n", "").isprintable()
    assert run("play", "duel.rules", "--load", "a.json").exit == 0
    tested = run("test", "a.scenario.yaml", "--format", "json")
    assert tested.exit == 0
    assert tested.out.replace("\n", "").isprintable()


@pytest.mark.parametrize("written", ['"\\ud800"', '"\\udc00\\ud800"', "\x9b", "\ufffe"])
def test_what_is_no_character_is_refused_in_a_state(written: str, run: RunCommand, tmp_path: Path) -> None:
    (tmp_path / "duel.rules").write_text(NOTED, encoding="utf-8")
    (tmp_path / "state.yaml").write_text(STATE.replace("health: 5", f"health: 5, note: {written}"), encoding="utf-8")
    done = run("run", *START, "--seed", "1", "--policy", "first", "--save", "a.json")
    assert done.exit == 2
    assert done.err.startswith(("error RW0701: ", "error RW0703: "))
    assert not (tmp_path / "a.json").exists()


def test_characters_in_the_escapes_of_json_are_ordinary(run: RunCommand, tmp_path: Path) -> None:
    (tmp_path / "duel.rules").write_text(NOTED, encoding="utf-8")
    noted = STATE.replace("health: 5", 'health: 5, note: "\\ud83d\\ude00"')
    (tmp_path / "state.yaml").write_text(noted, encoding="utf-8")
    done = run("run", *START, "--seed", "1", "--policy", "first", "--save", "a.json", "--format", "json")
    assert (done.exit, done.err) == (0, "")
    assert "\U0001f600" in json.dumps(json.loads(done.out), ensure_ascii=False)
    assert "\U0001f600" in Path("a.json").read_text(encoding="utf-8")
    assert run("play", "--load", "a.json").exit == 0


@pytest.mark.long
def test_a_save_of_many_things_is_read_again(run: RunCommand, tmp_path: Path) -> None:
    more = "".join(f"  k{number}: {{owner: red, health: 1}}\n" for number in range(26_000))
    (tmp_path / "state.yaml").write_text(STATE + more, encoding="utf-8")
    played = [*START, "--seed", "1", "--policy", "first", "--trace", "none"]
    assert run("run", *played, "--save", "a.json").exit == 0
    assert run("play", "duel.rules", "--load", "a.json").exit == 0


def _noted(letters: int, things: int) -> None:
    """A state of many things, each with a text of so many letters that the state itself does not say."""
    noted = RULES.replace("  health: 0..9\n", f'  health: 0..9\n  note: text = "{"n" * letters}"\n')
    Path("duel.rules").write_text(noted, encoding="utf-8")
    more = "".join(f"  k{number}: {{owner: red, health: 1}}\n" for number in range(things))
    Path("state.yaml").write_text(STATE + more, encoding="utf-8")


def test_a_save_leaves_out_what_would_make_it_too_large(run: RunCommand) -> None:
    _noted(60_000, 80)
    assert run("run", *START, "--seed", "1", "--policy", "first", "--save", "a.json").exit == 0
    assert Path("a.json").stat().st_size < 8_000_000
    done = run("play", "--load", "a.json")
    assert (done.exit, done.err) == (0, "")


def test_a_play_whose_save_could_not_be_read_keeps_its_answers(run: RunCommand) -> None:
    _noted(60_000, 160)
    done = run("run", *START, "--seed", "1", "--policy", "first", "--save", "a.json")
    assert (done.exit, done.err.splitlines()[0].partition(": ")[0]) == (3, "error RW0005")
    done = run("play", *START, "--seed", "1", "--save", "a.json", typed="save b.json\nscript c.yaml\n1\n")
    assert (done.exit, done.err.count("error RW0005: ")) == (3, 2)
    assert "answers written to c.yaml" in done.out
    rescued = Path("duel-1.script.yaml")
    assert f"its answers are written to {rescued}" in done.err
    assert sorted(map(str, Path().glob("*.json"))) == []
    again = run("run", *START, "--script", str(rescued))
    assert (again.exit, again.err) == (0, "")
    assert run("run", *START, "--script", "c.yaml", "--policy", "first").exit == 0


def test_names_of_files_need_not_be_utf_8(run: RunCommand, tmp_path: Path) -> None:
    folder = os.fsdecode(b"caf\xe9")
    (tmp_path / folder).mkdir()
    rules, state, save = (f"{folder}/{os.fsdecode(each)}" for each in (b"d\xe9.rules", b"s\xe9.yaml", b"a\xe9.json"))
    (tmp_path / rules).write_text(RULES, encoding="utf-8")
    (tmp_path / state).write_text(STATE, encoding="utf-8")
    for command in (("check", rules), ("check", folder, "--format", "json"), ("fmt", folder), ("trace", rules)):
        assert run(*command).exit == 0
    words = ["run", rules, "strike", "--state", state, *START[4:], "--seed", "1", "--policy", "first"]
    assert run(*words, "--save", save).exit == 0
    assert run("play", rules, "--load", save).exit == 0
    assert run("new", f"{folder}/mine").exit == 0


@pytest.mark.parametrize("verb", ["run", "play"])
def test_a_scenario_does_not_name_what_is_not_utf_8(run: RunCommand, tmp_path: Path, verb: str) -> None:
    folder = os.fsdecode(b"caf\xe9")
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "duel.rules").write_text(RULES, encoding="utf-8")
    words = [verb, f"{folder}/duel.rules", *START[1:], "--seed", "1", "--record"]
    done = run(*words, "a.scenario.yaml")
    assert (done.exit, done.out) == (2, "")
    assert done.err.startswith("error RW1016: a scenario cannot name `caf<U+DCE9>/duel.rules`, which is not UTF-8\n")
    assert not (tmp_path / "a.scenario.yaml").exists()
    beside = f"{folder}/a.scenario.yaml"
    assert run(*words, beside).exit == 0
    assert run("test", beside).out == "1 passed\n"


def test_texts_of_rules_are_never_code(run: RunCommand, tmp_path: Path) -> None:
    made = "open('made', 'w')"
    for text in (f"'''); {made} #", f"{{{made}}}", f"\\\\'+{made}+'", f"%(x)s \\N{{DASH}} '+{made}+'"):
        rules = RULES.replace("Roll to hit", text).replace("Parry?", text).replace("the striker is down", text)
        (tmp_path / "duel.rules").write_text(rules, encoding="utf-8")
        for trace in ("none", "full"):
            run("run", *START, "--seed", "1", "--policy", "first", "--trace", trace)
    assert not (tmp_path / "made").exists()


def test_documents_and_scenarios_steer_no_report(run: RunCommand, tmp_path: Path) -> None:
    rules = RULES.replace('revision "1"\n', 'revision "1"\ndocument DOC "Doc"\n')
    (tmp_path / "duel.rules").write_text(rules, encoding="utf-8")
    listed = (
        "document: DOC\ntitle: \u202eT <b>\nclauses:\n- {id: DOC.1.a, where: \u2066here, says: \u202ea <script> | of}\n"
    )
    (tmp_path / "DOC.clauses.yaml").write_text(listed, encoding="utf-8")
    scenario = SCENARIO.replace("STATE", "state.yaml").replace("  one:", '  "\u202eon\\e[2Je":')
    (tmp_path / "a.scenario.yaml").write_text(scenario, encoding="utf-8")
    for form in ("plain", "human", "json", "markdown"):
        told = run("trace", "duel.rules", "--format", form).out
        assert told.replace("\n", "").isprintable()
        assert form != "markdown" or "\\<script\\>" in told
    assert run("test", "a.scenario.yaml", "--junit", "a.xml").exit in {0, 1}
    run("cover", "a.scenario.yaml", "--html", "a.html")
    for name in ("a.xml", "a.html"):
        assert (tmp_path / name).read_text(encoding="utf-8").replace("\n", "").isprintable()
    fromstring((tmp_path / "a.xml").read_text(encoding="utf-8"))  # noqa: S314 - it is our own


def test_a_mark_at_the_beginning_of_any_file_is_no_part_of_it(run: RunCommand) -> None:
    Path("rulewright.toml").write_text("allow = []\n", encoding="utf-8")
    Path("hit.yaml").write_text("[[5], no]", encoding="utf-8")
    Path("a.scenario.yaml").write_text(SCENARIO.replace("STATE", "state.yaml"), encoding="utf-8")
    tested = run("test", ".").out
    files = [*map(Path, ("rulewright.toml", "state.yaml", "hit.yaml", "a.scenario.yaml")), *Path().glob("*.rules")]
    plain = run("run", *START, "--script", "hit.yaml", "--save", "plain.json")
    for each in files:
        each.write_bytes(b"\xef\xbb\xbf" + each.read_bytes())
    marked = run("run", *START, "--script", "hit.yaml", "--save", "marked.json")
    assert (marked.exit, marked.out, marked.err) == (0, plain.out.replace("plain.json", "marked.json"), "")
    Path("marked.json").write_bytes(b"\xef\xbb\xbf" + Path("marked.json").read_bytes())
    assert run("play", "--load", "marked.json", typed="\n").err == ""
    assert (run("check", ".").exit, run("test", ".").out) == (0, tested)
    Path("rulewright.toml").write_bytes(b"\xef\xbb\xbfallow \n")
    wrong = run("check", ".")
    assert (wrong.exit, "RW0018" in wrong.err, "\n  --> rulewright.toml:1:" in wrong.err) == (2, True, True), wrong.err
