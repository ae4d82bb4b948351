"""Questions of players that the printed chapters answer: the words that do stand in the chapter.

Each scenario of `questions` is one; the comments above it are what the chapter says, found there word for word, and the
play itself, which the plugin of pytest collects, shows that the machine answers likewise.
"""

import re
from pathlib import Path

import pytest

from rulewright.cli.reports import render_template
from rulewright.wording.chapter_builder import make_chapter
from rulewright.wording.chosen_readings import fold_chosen_readings
from support.shipped_programs import load_shipped_program

SUITES = sorted(Path(__file__).with_name("questions").glob("*.scenario.yaml"))
QUESTION = re.compile(r"((?:^  # .+\n)+)^  (\S.*\?):$", re.MULTILINE)
SCENARIO = re.compile(r"^  [^\s#].*:$", re.MULTILINE)
LINK = re.compile(r"\[([^\]\n]*)\]\(#[^)]*\)")
FEWEST = 20


@pytest.mark.parametrize("suite", [pytest.param(each, id=each.name.partition(".")[0]) for each in SUITES])
def test_the_chapter_says_what_answers_each_question(suite: Path) -> None:
    text = suite.read_text(encoding="utf-8")
    (name,) = re.findall(r"^ruleset: (\S+)$", text, re.MULTILINE)
    program = load_shipped_program(name)
    chosen = fold_chosen_readings(program)
    chapter = make_chapter(chosen.program, {}, (), chosen.settled)
    said = LINK.sub(r"\1", render_template("chapter.md", chapter)).replace("\\", "")
    questions = QUESTION.findall(text)
    assert len(questions) == len(SCENARIO.findall(text.partition("\nscenarios:\n")[2])) >= FEWEST
    missing = [
        (question, words)
        for answers, question in questions
        for words in answers.replace("  # ", "").splitlines()
        if words not in said
    ]
    assert not missing
