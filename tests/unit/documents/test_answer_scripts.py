from rulewright.base.source import Text
from rulewright.documents.answer_scripts import AnswerScript, ScriptLine, format_script, read_script
from rulewright.documents.findings import ReadResult
from rulewright.documents.name_table import NameTable, RequestAddresses, UnresolvedAddress
from rulewright.program.declarations import Program

ADDRESSES = RequestAddresses(
    (
        "melee/MEL.20/attacker_forms",
        "melee/MEL.20/defender_forms",
        "melee/MEL.30/test",
        "melee/MEL.70/way",
        "melee/MEL.70/way/follow/heading",
        "melee/MEL.70/way/hold/heading",
        "mel.begins",
    )
)


def _read(program: Program, content: str) -> ReadResult[AnswerScript]:
    return read_script(Text("s.yaml", content), program)


def _script(program: Program, content: str) -> AnswerScript:
    outcome = _read(program, content)
    assert outcome.diagnostics == ()
    assert outcome.value
    return outcome.value


def test_an_end_of_an_address_will_do() -> None:
    assert ADDRESSES.resolve("MEL.20/attacker_forms") == "melee/MEL.20/attacker_forms"
    assert ADDRESSES.resolve("test") == "melee/MEL.30/test"
    assert ADDRESSES.resolve("begins") == "mel.begins"


def test_a_step_stands_for_its_only_question() -> None:
    assert ADDRESSES.resolve("MEL.30") == "melee/MEL.30/test"
    assert ADDRESSES.resolve("follow") == "melee/MEL.70/way/follow/heading"


def test_an_end_wins_over_a_part() -> None:
    assert ADDRESSES.resolve("MEL.70/way") == "melee/MEL.70/way"


def test_an_address_of_several_questions_is_refused() -> None:
    assert ADDRESSES.resolve("heading") == UnresolvedAddress(
        "`heading` stands for several questions",
        "write `melee/MEL.70/way/follow/heading` or `melee/MEL.70/way/hold/heading`",
        is_ambiguous=True,
    )


def test_an_unknown_address_is_refused() -> None:
    assert ADDRESSES.resolve("MEL.30/tset") == UnresolvedAddress(
        "nothing is asked at `MEL.30/tset`", "did you mean `MEL.30/test`?", is_ambiguous=False
    )


def test_what_is_left_over_is_named(asking: Program, names: NameTable) -> None:
    ordered = _script(asking, "- yes\n- no\n").report_leftover(names, "attack/1/push", tuple, tuple)
    assert [(each.code, each.message) for each in ordered] == [
        ("RW0743", "this answer and 1 more are left over: nothing was asked after `attack/1/push`")
    ]
    addressed = _script(asking, "push: yes\nstand: no\n").report_leftover(names, "", tuple, tuple)
    assert [each.message for each in addressed] == ["`attack/1/push` was not asked", "`attack/1/stand` was not asked"]


def test_a_script_is_written_as_it_is_read(asking: Program) -> None:
    written = format_script(
        [
            ("attack/1/push", "red", True),
            ("attack/1/stand", "", {"a b": [1, "no", None, "x"]}),
            ("attack/1/push", "", []),
        ]
    )
    assert written == (
        '- {answer: yes, at: "attack/1/push", by: "red"}\n'
        '- {answer: {a b: [1, "no", null, x]}, at: "attack/1/stand"}\n'
        '- {answer: [], at: "attack/1/push"}\n'
    )
    given = [("attack/1/push", "red", True), ("attack/1/stand", "", False), ("attack/1/push", "", True)]
    lines: tuple[ScriptLine, ...] = _script(asking, format_script(given)).lines
    assert [(line.at, line.by) for line in lines] == [(at, by) for at, by, _ in given]
