"""`share`: a page that holds all it needs, and plays that come back from it."""

import base64
import gzip
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rulewright.studio import page_modules, shared_page
from rulewright.studio.page_modules import ENTRY_MODULES, find_page_modules, list_imported_names, pack_page_modules
from rulewright.studio.page_play import open_stored_plays
from rulewright.studio.shared_page import SHARED_PAGE_PREFIX, pack_modules_part, read_engine_facts
from support.duel_example import RunCommand
from support.published_schemas import make_validator

RULES = """\
ruleset bout "Bout </script><script>alert(1)</script>" revision "1"
kind Unit, units:
  owner: player
  morale: 0..9
procedure bout(unit: Unit) "A bout":
  step 1 "Rally":
    ask unit.owner whether cheer "Cheer <b>?"
    if cheer:
      roll d6 as die
      if die.natural >= {needed}:
        add up to 1 to unit.morale
procedure rest(unit: Unit) "A rest":
  step 1 "Rest":
    add up to 1 to unit.morale
"""
SCENARIOS = """\
ruleset: bout.rules
procedure: bout
with: {unit: hammer}
state:
  players: [red]
  units: {hammer: {owner: red, morale: 2}}
scenarios:
  cheering: {}
  "hostile </script>": {}
  resting: {procedure: rest}
"""


@pytest.fixture
def bout(run: RunCommand, tmp_path: Path) -> RunCommand:
    (tmp_path / "bout.rules").write_text(RULES.replace("{needed}", "2"), encoding="utf-8")
    (tmp_path / "bout.scenario.yaml").write_text(SCENARIOS, encoding="utf-8")
    return run


def part(page: str, name: str) -> bytes:
    found = re.search(rf'<script type="text/plain" id="part-{name}">([^<]*)</script>', page)
    assert found is not None
    return gzip.decompress(base64.b64decode(found[1]))


def test_a_page_holds_all_that_it_needs_and_no_markup_of_the_ruleset(bout: RunCommand, tmp_path: Path) -> None:
    done = bout("share", "bout.rules", "--to", "page.html")
    assert (done.exit, done.err) == (0, "")
    assert done.out.splitlines()[0].startswith("wrote page.html: 2 scenarios, ")
    assert "left out, because nobody is asked anything in them or they cannot begin:\n  resting\n" in done.out
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.startswith(SHARED_PAGE_PREFIX)
    assert len(page) < 8_000_000
    shell = re.sub(r'(?s)<script type="text/plain"[^<]*</script>|<style>.*?</style>', "", page)
    assert "alert(1)</script>" not in shell
    assert "<title>Bout &lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;</title>" in shell
    assert "default-src 'none'" in shell
    assert not re.search(r'(?:src|href)="(?!#)', shell.partition("<body>")[0])
    texts = json.loads(part(page, "texts"))
    assert [each["name"] for each in texts["scenarios"]] == ["cheering", "hostile </script>"]
    assert texts["scenarios"][0]["first"]["asks"]["asked"] == "Cheer <b>?"
    assert part(page, "machine")[:4] == b"\0asm"


def test_a_page_tells_nothing_of_the_folders_of_its_designer(bout: RunCommand, tmp_path: Path) -> None:
    bout("share", str(tmp_path / "bout.rules"), "--to", "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert str(tmp_path).encode() not in part(page, "plays") + part(page, "texts")


def test_a_page_is_written_over_itself_and_over_nothing_else(bout: RunCommand, tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    target.write_text("<!doctype html>\n<p>mine", encoding="utf-8")
    refused = bout("share", "bout.rules", "--to", "page.html")
    assert (refused.exit, "RW0013" in refused.err) == (2, True)
    assert target.read_text(encoding="utf-8") == "<!doctype html>\n<p>mine"
    target.unlink()
    first = bout("share", "bout.rules", "cheering", "--to", "page.html", "--format", "json")
    assert make_validator("share", "written").is_valid(json.loads(first.out))
    before = target.read_bytes()
    assert bout("share", "bout.rules", "cheering", "--to", "page.html").exit == 0
    assert target.read_bytes() == before


@pytest.mark.skipif(sys.platform != "linux", reason="limits the size of files as Linux does")
def test_a_disk_that_is_full_leaves_the_page_as_it_was(bout: RunCommand, tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    bout("share", "bout.rules", "cheering", "--to", "page.html")
    before = (tmp_path / "page.html").read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, limits[1]))
    try:
        done = {target: bout("share", "bout.rules", "--to", target) for target in ("page.html", "new.html")}
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    for target, each in done.items():
        assert (each.exit, each.err) == (2, f"error RW0011: `{target}` cannot be written: file too large\n")
    assert sorted(each.name for each in tmp_path.glob("*.html*")) == ["page.html"]
    assert (tmp_path / "page.html").read_bytes() == before


def _played(page: Path, *requests: dict[str, Any]) -> list[Any]:
    plays = open_stored_plays(part(page.read_text(encoding="utf-8"), "plays"))
    return [json.loads(plays.handle_text(json.dumps(each))) for each in requests]


BEGIN = {"do": "begin", "scenario": 0, "seed": 7}
CHEER = {"do": "answer", "typed": "yes"}


def test_a_page_answers_as_the_pane_does(bout: RunCommand, tmp_path: Path) -> None:
    bout("share", "bout.rules", "--to", "page.html")
    replies = _played(
        tmp_path / "page.html",
        {"do": "see"},
        BEGIN,
        CHEER,
        {"do": "throw"},
        {"do": "undo"},
        {"do": "finish"},
        {"do": "restore", "scenario": 0, "seed": 7, "requests": [CHEER, {"do": "throw"}, {"do": "nonsense"}]},
        {"do": "begin", "scenario": 9, "seed": 7},
    )
    assert replies[0] == {"problem": "no play has begun"}
    assert [each for reply in replies[1:5] for each in make_validator("play", "reply").iter_errors(reply)] == []
    assert replies[2]["moment"]["asks"]["takes"] == "dice"
    assert replies[3]["fell"][0] in "123456"
    assert replies[3]["moment"]["over"] is not None
    assert replies[5]["outcome"] == "open"
    assert (replies[6]["done"], bool(replies[6]["stopped"])) == (2, True)
    assert replies[6]["moment"]["over"] == replies[3]["moment"]["over"]
    assert "problem" in replies[7]


def test_a_die_is_thrown_again_after_its_faces_were_tried(bout: RunCommand, tmp_path: Path) -> None:
    again = RULES.replace("{needed}", "2").replace("as die\n", "as die\n      reroll die by unit.owner\n")
    (tmp_path / "bout.rules").write_text(again, encoding="utf-8")
    bout("share", "bout.rules", "--to", "page.html")
    faces, throw = {"do": "faces"}, {"do": "throw"}
    *_, before, tried, thrown, _ = _played(tmp_path / "page.html", BEGIN, CHEER, faces, throw, faces, throw, faces)
    assert before["moment"]["asks"]["asked"] == "rolls die again:"
    assert [row["face"] for row in tried["faces"]["rows"]] == list("123456")
    assert thrown["moment"]["over"] is not None
    assert thrown == _played(tmp_path / "page.html", BEGIN, CHEER, throw, throw)[-1]


def test_the_modules_of_a_page_need_nothing_else(
    bout: RunCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_modules, "_read_compiled_modules", dict)  # of another Python than this one
    monkeypatch.setattr(shared_page, "pack_modules_part", pack_modules_part.__wrapped__)
    bout("share", "bout.rules", "--to", "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    (tmp_path / "modules").write_bytes(part(page, "modules"))
    (tmp_path / "plays").write_bytes(part(page, "plays"))
    program = (
        "import json, marshal\n"
        "modules, importer = marshal.loads(open('modules', 'rb').read()), {'__name__': 'importer'}\n"
        "exec(modules['rulewright/studio/page_importer.py'], importer)\n"
        "compile_next = importer['install_importer'](modules).compile_next\n"
        "from rulewright.studio.page_play import open_stored_plays\n"
        "plays = open_stored_plays(open('plays', 'rb').read(), compile_next)\n"
        f"plays.handle_text({json.dumps(BEGIN)!r})\n"
        "while not json.loads(plays.handle_text('{\"do\": \"prepare\"}'))['ready']: pass\n"
        f"print(plays.handle_text({json.dumps(CHEER)!r}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert json.loads(done.stdout)["moment"]["asks"]["takes"] == "dice"


def test_the_library_of_the_engine_has_what_the_modules_import() -> None:
    imported = {name for name in list_imported_names() if name not in {"platformdirs", "__future__"}}
    known = set(read_engine_facts()["library"])
    built_in = {"builtins", "errno", "sys", "time", "math", "marshal", "gc"}
    roots = {name.partition(".")[0] for name in known}
    assert {name for name in imported if name.partition(".")[0] not in roots | built_in} == set()
    assert set(ENTRY_MODULES) <= find_page_modules().keys()
    assert not [name for name in find_page_modules() if name.split(".")[1:2] in (["checker"], ["syntax"], ["cli"])]
    assert len(pack_page_modules()) < 3_000_000


def _returned(tmp_path: Path, **others: Any) -> dict[str, Any]:
    requests = [CHEER, {"do": "throw"}]
    *_, end = _played(tmp_path / "page.html", BEGIN, *requests, {"do": "finish"})
    texts = json.loads(part((tmp_path / "page.html").read_text(encoding="utf-8"), "texts"))
    remark = {
        "kind": "Unclear",
        "text": "Why?\n# not a comment",
        "who": "red",
        "after": 1,
        "asked": "Cheer <b>?",
        "address": "bout/1",
        "at": 5,
    }
    return {
        "format": "rulewright playtest", "version": 1, "ruleset": "bout", "fingerprint": texts["fingerprint"], "revision": "1",
        "scenario": "cheering", "seed": 7, "dice": "here", "names": {"red": "Ada"}, "began": 0, "changed": 120_000,
        "done": [{"request": each, "who": "red", "asked": "", "at": 1} for each in requests],
        "remarks": [remark], "noted": [{"sort": "back", "about": "red: Cheer? no", "after": 1, "address": "", "at": 1}], "end": end,
    } | others  # fmt: skip


def _write(tmp_path: Path, name: str, data: object) -> str:
    (tmp_path / name).write_text(json.dumps(data), encoding="utf-8")
    return name


def test_what_came_back_is_played_again_and_becomes_a_scenario(bout: RunCommand, tmp_path: Path) -> None:
    bout("share", "bout.rules", "--to", "page.html")
    file = _write(tmp_path, "ada.play.json", _returned(tmp_path))
    done = bout("share", "bout.rules", "--back", file, "--to", "ada.scenario.yaml")
    assert (done.exit, done.err) == (0, "")
    assert "ada.play.json: cheering (red Ada), 2 answers, 2.0 minutes: ends as it did" in done.out
    assert "remark of red, unclear, after 1 answer, at 'Cheer <b>?': Why? # not a comment" in done.out
    assert "never chosen, offered 1 time: no, at `Cheer <b>?`" in done.out
    written = (tmp_path / "ada.scenario.yaml").read_text(encoding="utf-8")
    assert "\n# remark of red, unclear, after 1 answer, at 'Cheer <b>?': Why?\n#   # not a comment\n" in written
    assert bout("test", "ada.scenario.yaml").exit == 0
    again = bout("share", "bout.rules", "--back", file, "--to", "ada.scenario.yaml")
    assert "RW1016" in again.err


def test_what_ends_differently_today_is_told(bout: RunCommand, tmp_path: Path) -> None:
    bout("share", "bout.rules", "--to", "page.html")
    played = _returned(tmp_path)
    files = [_write(tmp_path, "one.json", played), _write(tmp_path, "two.json", played | {"scenario": "gone"})]
    (tmp_path / "bout.rules").write_text(RULES.replace("{needed}", "9"), encoding="utf-8")
    done = bout("share", "bout.rules", *(each for file in files for each in ("--back", file)), "--format", "json")
    report = json.loads(done.out)
    assert make_validator("share", "report").is_valid(report), list(
        make_validator("share", "report").iter_errors(report)
    )
    assert done.exit == 1
    assert report["plays"][0]["differences"]
    assert report["plays"][1]["problem"] == "it is a play of `bout`, and `bout.rules` has no scenario of this name"
    assert [(each["plays"], each["is_current"]) for each in report["revisions"]] == [(2, False)]


def test_a_play_is_told_with_its_remarks_at_their_moments(bout: RunCommand, tmp_path: Path) -> None:
    bout("share", "bout.rules", "--to", "page.html")
    (tmp_path / "notes.json").write_text("[]", encoding="utf-8")
    files = [_write(tmp_path, "ada.json", _returned(tmp_path)), "notes.json"]
    backs = [each for file in files for each in ("--back", file)]
    done = bout("share", "bout.rules", *backs, "--scenes", "--format", "json")
    report = json.loads(done.out)
    assert list(make_validator("share", "report").iter_errors(report)) == []
    assert [each["file"] for each in report["unreadable"]] == ["notes.json"]
    (play,) = report["plays"]
    scene = play["scene"]
    assert scene["then"] == scene["now"]
    (at,) = scene["remarks_at"]
    assert "Cheer <b>?" in scene["now"][at - 1]
    assert scene["boards"] == []
    assert done.exit == 1
    usage = bout("share", "bout.rules", *backs, "--scenes")
    assert "`--scenes` is for `--back` with `--format json`" in usage.err


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{", '{"format": "rulewright playtest"}', json.dumps([[]] * 3), "\0", '"' + "[" * 5000],
)
def test_hostile_files_are_refused(bout: RunCommand, tmp_path: Path, content: str) -> None:
    (tmp_path / "play.json").write_text(content, encoding="utf-8")
    done = bout("share", "bout.rules", "--back", "play.json")
    assert (done.exit, "error RW0" in done.err) == (2, True)


def test_hostile_parts_of_a_file_are_told_as_text(bout: RunCommand, tmp_path: Path) -> None:
    bout("share", "bout.rules", "--to", "page.html")
    strange = _returned(
        tmp_path,
        names=["x"],
        began="x",
        remarks=[1, {"text": "\x1b[31m", "after": "x"}],
        noted=[None],
        end={"script": [3, {}]},
    )
    done = bout("share", "bout.rules", "--back", _write(tmp_path, "a.json", strange))
    assert "\x1b" not in done.out + done.err
    assert "fault of rulewright" not in done.err
    odd = strange | {"done": [1, {"request": {"do": "answer", "typed": 5}}, {"request": {"do": "fork"}}]}
    told = bout("share", "bout.rules", "--back", _write(tmp_path, "b.json", odd), "--scenes", "--format", "json")
    assert json.loads(told.out)["plays"][0]["scene"]["remarks_at"] == [1]
    assert "fault of rulewright" not in told.err
