"""Trees come from what was kept where it is whole and fits, and are those of the text itself in any case."""

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest

from rulewright.base import disk_cache
from rulewright.base.source import Text
from rulewright.documents import ruleset_loading
from rulewright.documents.ruleset_loading import parse_cached_text
from rulewright.syntax import parser
from rulewright.syntax.parser import parse_rules_text

ROOT = Path(__file__).parents[3]
RULES = sorted((ROOT / "rulesets").glob("*/*.rules"))
TEXT = Text("a.rules", 'ruleset a "A" revision "1"\n\nterm one() gives number means 1\n')


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder of trees."""
    monkeypatch.setattr(disk_cache, "user_cache_path", lambda _: tmp_path)
    return tmp_path / "trees"


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Grows with the name of every text that is read."""
    found: list[str] = []

    def counted(text: Text) -> parser.ParsedText:
        found.append(text.name)
        return parse_rules_text(text)

    monkeypatch.setattr(parser, "parse_rules_text", counted)
    return found


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.stem)
def test_a_kept_tree_is_that_of_the_text(path: Path, read: list[str]) -> None:
    text = Text(str(path), path.read_text(encoding="utf-8"))
    fresh, kept = parse_cached_text(text), parse_cached_text(text)
    assert read == [str(path)]
    assert fresh == kept == parse_rules_text(text)
    assert repr(kept) == repr(fresh)


def test_another_text_or_name_is_another_tree(read: list[str]) -> None:
    longer = Text(TEXT.name, TEXT.content.replace("1", "12"))
    renamed = Text("b.rules", TEXT.content)
    for each in (TEXT, longer, renamed):
        assert parse_cached_text(each) == parse_rules_text(each)
        assert parse_cached_text(each) == parse_rules_text(each)
    assert read == ["a.rules", "a.rules", "b.rules"]


def test_another_reader_reads_again(read: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    parse_cached_text(TEXT)
    monkeypatch.setattr(ruleset_loading, "_fingerprint_parser", lambda: "of tomorrow")
    parse_cached_text(TEXT)
    assert read == ["a.rules", "a.rules"]


def test_a_text_with_mistakes_is_read_each_time(read: list[str], kept: Path) -> None:
    wrong = Text("a.rules", 'ruleset a "A" revision "1"\n\nterm one( gives number means 1\n')
    assert parse_cached_text(wrong) == parse_cached_text(wrong) == parse_rules_text(wrong)
    assert read == ["a.rules", "a.rules"]
    assert not kept.exists()


class Command:
    """Leaves a file where it is made."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str]]:
        return os.mkdir, (str(self.place),)


def test_what_is_no_tree_is_never_made(kept: Path, read: list[str], tmp_path: Path) -> None:
    parse_cached_text(TEXT)
    (place,) = kept.iterdir()
    for found in (Command(tmp_path / "made"), parse_rules_text(TEXT), "a tree", parse_rules_text(TEXT).file.headers):  # type: ignore[union-attr]
        ruleset_loading.TREE_CACHE.store_bytes(place.name, pickle.dumps(found))
        assert parse_cached_text(TEXT) == parse_rules_text(TEXT)
    assert read == ["a.rules"] * 5
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("module", ["os", "builtins", "rulewright.syntax.nodes", "rulewright.syntax.nodes.expressions"])
def test_only_nodes_are_made(module: str) -> None:
    names = ("getcwd", "eval", "Parsed", "dataclass", "Span", "Name.__init__")
    reader = ruleset_loading.NodeUnpickler(BytesIO())
    for name in names:
        with pytest.raises(pickle.UnpicklingError):
            reader.find_class(module, name)


def test_what_is_kept_needs_neither_lark_nor_yaml(tmp_path: Path) -> None:
    script = (
        "import sys; from rulewright.documents.ruleset_loading import load_ruleset; from rulewright.documents.ruleset_location import locate_ruleset\n"
        "print(load_ruleset(locate_ruleset('mel')).program is not None, 'lark' in sys.modules, 'yaml' in sys.modules)"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "interpreter"), "XDG_CACHE_HOME": str(tmp_path)}
    said = [
        subprocess.run(
            [sys.executable, "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    ]
    assert said == ["True True True\n", "True False False\n"]
