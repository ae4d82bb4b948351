import hashlib
import json
from dataclasses import asdict, replace
from typing import Any

import pytest

from rulewright.base.source import Text
from rulewright.documents.saved_sessions import RecordedAnswer, SavedSession, format_save, parse_save, read_save
from rulewright.program.declarations import Program

SAVE = SavedSession(
    ruleset="skirmish",
    revision="1",
    fingerprint="f" * 64,
    procedure="attack",
    arguments={"attacker": "hammer", "defender": "anvil"},
    start={"players": {"red": {}}},
    seed=7,
    answers=(RecordedAnswer("attack/1/push", "red", True), RecordedAnswer("attack/1/hit", "", [3, 4])),
    state={"version": 1},
)


def _finding(program: Program, content: str) -> tuple[str, str, str, str | None]:
    text = Text("x.save", content)
    outcome = read_save(text, program)
    assert outcome.value is None
    (found,) = outcome.diagnostics
    assert found.primary
    position = text.get_position(found.primary.span.start)
    return found.code, f"{position.line}:{position.column}", found.message, found.pointer


def _signed(**changes: Any) -> str:
    """A save with other contents and a sum that fits them."""
    return format_save(replace(SAVE, **changes))


def test_a_save_is_read_as_it_is_written(program: Program) -> None:
    outcome = read_save(Text("x.save", format_save(SAVE)), program)
    assert outcome.diagnostics == ()
    assert outcome.value == SAVE


def test_a_save_is_always_written_alike() -> None:
    assert format_save(SAVE) == format_save(replace(SAVE, arguments={"attacker": "hammer", "defender": "anvil"}))


def test_a_save_that_was_cut_off(program: Program) -> None:
    content = format_save(SAVE)
    assert _finding(program, content[:100])[0] == "RW0750"
    assert _finding(program, "")[:2] == ("RW0750", "1:1")
    assert _finding(program, "[" * 100_000)[0] == "RW0750"


@pytest.mark.parametrize("content", ["[]", "{}", '{"format": "zip"}', "3"])
def test_what_is_no_save(program: Program, content: str) -> None:
    assert _finding(program, content)[2] == "this is not a save"


def test_a_save_that_was_edited(program: Program) -> None:
    code, _, message, pointer = _finding(program, format_save(SAVE).replace('"red"', '"blue"'))
    assert (code, message, pointer) == ("RW0754", "this save was changed after it was written", "/sum")


def test_a_save_of_another_version(program: Program) -> None:
    data = json.loads(format_save(SAVE)) | {"version": 9}
    assert _finding(program, json.dumps(data)) == (
        "RW0751",
        "1:42",
        "this save has version 9 of its form; this program reads versions 1 to 3",
        "/version",
    )


@pytest.mark.parametrize("version", ["1", 1.5, True, None, 0, [1]])
def test_what_is_no_version(program: Program, version: Any) -> None:
    data = json.loads(format_save(SAVE)) | {"version": version}
    assert _finding(program, json.dumps(data))[0] == "RW0751"


@pytest.mark.parametrize("version", [1, 2])
def test_a_save_of_an_older_version_is_read(program: Program, version: int) -> None:
    data = json.loads(format_save(SAVE)) | {"version": version, "position": 2}
    if version == 1:
        data = {key: value for key, value in data.items() if key not in {"kept", "rules", "overlays"}}
        data["answers"] = [{key: each[key] for key in ("at", "by", "answer")} for each in data["answers"]]
    del data["sum"]
    told = json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    signed = json.dumps({**data, "sum": hashlib.sha256(told.encode()).hexdigest()})
    assert read_save(Text("x.save", signed), program).value == SAVE


def test_a_save_of_another_search_for_places(program: Program) -> None:
    data = json.loads(format_save(SAVE)) | {"placing": 1}
    code, _, message, pointer = _finding(program, json.dumps(data))
    assert (code, pointer) == ("RW0751", "/placing")
    assert message == "this save was made with version 1 of the search for places; this program has version 2"


def test_a_save_of_another_ruleset(program: Program) -> None:
    assert _finding(program, _signed(ruleset="mel"))[::2] == ("RW0752", "this save is of `mel`, not of `skirmish`")


def test_a_save_of_another_revision(program: Program) -> None:
    code, _, message, pointer = _finding(program, _signed(revision="0", fingerprint="e" * 64))
    assert (code, pointer) == ("RW0753", "/fingerprint")
    assert message == "this save is of revision `0`; these rules are revision `1`"
    assert _finding(program, _signed(fingerprint="e" * 64))[2] == (
        "this save was made with other rules, though they too were revision `1`"
    )


def test_a_save_with_something_else_in_it(program: Program) -> None:
    assert _finding(program, _signed(procedure=-1)) == (
        "RW0750",
        "7:15",
        "`procedure` of this save is -1; it must be a text",
        "/procedure",
    )


@pytest.mark.parametrize(
    ("changes", "message", "pointer"),
    [
        ({"seed": "one"}, "`seed` of this save is the text `one`; it must be a whole number or `null`", "/seed"),
        (
            {"fingerprint": "f"},
            "`fingerprint` of this save is the text `f`; it must be 64 hexadecimal digits",
            "/fingerprint",
        ),
        ({"overlays": (1,)}, "a member of `overlays` of this save is 1; it must be a text", "/overlays/0"),
        ({"start": []}, "`start` of this save is an empty list; it must be a mapping", "/start"),
        (
            {"answers": (RecordedAnswer("a", "red", 1, "thrown"),)},
            "`source` of an answer is the text `thrown`; it must be where an answer comes from, such as `script`",
            "/answers/0/source",
        ),
        ({"arguments": {"ratio": float("inf")}}, "this is not a save: a number in it has no end", ""),
    ],
)
def test_a_save_whose_shape_is_another(program: Program, changes: Any, message: str, pointer: str) -> None:
    data = json.loads(format_save(SAVE)) | json.loads(json.dumps({key: _plain(each) for key, each in changes.items()}))
    found = _finding(program, _summed(data))
    assert (found[0], *found[2:]) == ("RW0750", message, pointer)


def test_keys_that_a_save_lacks_or_does_not_have(program: Program) -> None:
    data = json.loads(format_save(SAVE)) | {"mood": "grim"}
    del data["rules"]
    outcome = read_save(Text("x.save", _summed(data)), program)
    assert [(each.code, each.message, each.help.partition(",")[0]) for each in outcome.diagnostics] == [
        ("RW0750", "this save lacks `rules`", "take an older save"),
        ("RW0750", "`mood` is not a part of this save", "you can write `format`"),
    ]


def _plain(value: Any) -> Any:
    if not isinstance(value, tuple):
        return value
    return [asdict(each) if isinstance(each, RecordedAnswer) else each for each in value]


def _summed(data: dict[str, Any]) -> str:
    rest = {key: each for key, each in data.items() if key != "sum"}
    told = json.dumps(rest, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return json.dumps({**rest, "sum": hashlib.sha256(told.encode()).hexdigest()})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"format": 1', "this is only a part of a save: its text ends or breaks off here"),
        ('{"format": 1}\n{"format": 1}\n', "there is more here, after the end of the save"),
        ('{"format": “1”, "version": 2}\n', "this save cannot be read from here on; it was changed, or breaks off"),
    ],
)
def test_a_text_that_is_no_json_is_told_by_where_it_fails(content: str, message: str) -> None:
    (found,) = parse_save(Text("game.save", content)).diagnostics
    assert found.message == message
