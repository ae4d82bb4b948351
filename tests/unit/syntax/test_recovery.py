"""The rest of a file with mistakes is still read; `pages/mistakes.md` shows what is told of them."""

from pathlib import Path
from random import Random
from re import findall

import pytest

from rulewright.base.source import Text
from rulewright.syntax.nodes.declarations import Procedure
from rulewright.syntax.parser import ParsedText, parse_rules_text
from support.language_cases import split_blocks

_PAGE = (Path(__file__).parent / "pages/mistakes.md").read_text(encoding="utf-8")
SOUND = next(block["content"] for block in split_blocks(_PAGE, "rules"))


def read(content: str) -> ParsedText:
    return parse_rules_text(Text("a.rules", content))


def test_what_could_be_read_keeps_its_places() -> None:
    broken = SOUND.replace("0..9 = 3", "0..9 == 3")
    file = read(broken).file
    assert file is not None
    procedure = file.declarations[-1]
    assert isinstance(procedure, Procedure)
    assert broken[procedure.span.start :].startswith("procedure p(")
    assert broken[procedure.steps[1].head.start : procedure.steps[1].head.end] == 'step B "Second"'


def test_a_hundred_mistakes_are_enough() -> None:
    assert len(read("x\n" * 5000).diagnostics) == 100


@pytest.mark.parametrize("seed", range(60))
def test_a_damaged_text_never_shows_the_parser(seed: int) -> None:
    chance = Random(seed)
    words = findall(r'\s+|\w+|"[^"\n]*"|.', SOUND)
    for _ in range(chance.randrange(1, 4)):
        words[chance.randrange(len(words))] = chance.choice(["", *words])
    content = "".join(words)
    for each in read(content).diagnostics:
        assert each.primary is not None
        assert 0 <= each.primary.span.start <= each.primary.span.end <= len(content)
        assert not {"_NL", "_INDENT", "_DEDENT", "Token", "ANON", "$END"} & set(findall(r"[$\w]+", each.message))
