from dataclasses import replace

from rulewright.base.source import Text
from rulewright.documents.saved_sessions import RecordedAnswer, SavedSession, format_save, read_save
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
