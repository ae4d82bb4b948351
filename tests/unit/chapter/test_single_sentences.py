"""Single lines of shipped rulesets as sentences: all can be asked for, and most have one."""

from pathlib import Path

import pytest

from rulewright.chapter.single import SingleSentences
from rulewright.files import DISK
from rulewright.outline import outline
from rulewright.resources import folder
from rulewright.workspace import load, locate

PLACES = sorted(each for sort in ("rulesets", "starters") for each in Path(folder(sort)).iterdir() if each.is_dir())


@pytest.mark.parametrize("place", PLACES, ids=lambda each: each.name)
def test_every_line_has_a_sentence_without_a_full_stop(place: Path) -> None:
    loaded = load(locate(str(place), DISK), (), DISK)
    assert loaded.program is not None
    sentences = SingleSentences(loaded.program)
    for item in outline(loaded.program, loaded.texts).every():
        whole, alone = (sentences.said(item, inside=inside) for inside in (True, False))
        assert not whole.endswith((".", ":"))
        assert not alone.endswith((".", ":"))
        assert all(isinstance(sentences.part(item, part.name), str) for part in item.parts)
        assert sentences.operands(item)[0] in {"", "and", "or"}
        assert alone or item.sort not in {"line", "branch", "condition", "modifier", "key", "requirement"}, item.text
