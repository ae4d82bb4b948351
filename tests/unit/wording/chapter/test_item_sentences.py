"""Single lines of shipped rulesets as sentences: all can be asked for, and most have one."""

from pathlib import Path

import pytest

from rulewright.base.files import DISK, get_resource_folder
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.program.outline.outline_builder import build_outline
from rulewright.wording.item_sentences import ItemSentences

PLACES = sorted(
    each for sort in ("rulesets", "starters") for each in Path(get_resource_folder(sort)).iterdir() if each.is_dir()
)


@pytest.mark.parametrize("place", PLACES, ids=lambda each: each.name)
def test_every_line_has_a_sentence_without_a_full_stop(place: Path) -> None:
    loaded = load_ruleset(locate_ruleset(str(place), DISK), (), DISK)
    assert loaded.program is not None
    sentences = ItemSentences(loaded.program)
    for item in build_outline(loaded.program, loaded.texts).walk_items():
        whole, alone = (sentences.item_sentence(item, inside=inside) for inside in (True, False))
        assert not whole.endswith((".", ":"))
        assert not alone.endswith((".", ":"))
        assert all(isinstance(sentences.item_part_phrase(item, part.name), str) for part in item.parts)
        assert sentences.split_condition(item)[0] in {"", "and", "or"}
        assert alone or item.sort not in {"line", "branch", "condition", "modifier", "key", "requirement"}, item.text
