"""Checked rulesets come from what was kept where all their files are the same, and say the same in any case."""

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest

from rulewright.base import disk_cache, files
from rulewright.base.files import DISK, DiskFiles
from rulewright.documents import ruleset_loading
from rulewright.documents.file_dependent_cache import cache_values
from rulewright.documents.ruleset_loading import LoadedRuleset, load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.program.outline.outline_builder import build_outline

SHIPPED = Path(__file__).parents[3] / "rulesets"


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """The rulesets that were checked, by their main file; with a cache of its own."""
    found: list[str] = []

    def loading(located: ruleset_loading.RulesetLocation, *rest: object) -> LoadedRuleset:
        found.append(Path(str(located.main)).name)
        return load_ruleset(located, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(disk_cache, "user_cache_path", lambda _: tmp_path / "cache")
    monkeypatch.setattr(ruleset_loading, "load_ruleset", loading)
    return found


@pytest.fixture
def mel(tmp_path: Path) -> Path:
    """A copy of a shipped ruleset of two files and a clause list."""
    copytree(SHIPPED / "mel", tmp_path / "mel")
    return tmp_path / "mel"


def loaded(place: Path, *overlays: str) -> LoadedRuleset:
    """A ruleset, kept or not."""
    return ruleset_loading.load_cached_ruleset(locate_ruleset(str(place), DISK), overlays, DISK)


def said(of: LoadedRuleset) -> tuple[object, ...]:
    """All that is told of a ruleset that was loaded."""
    assert of.program is not None
    return of.program, of.diagnostics, of.texts, of.clause_count, of.silenced_count, build_outline(of.program, of.texts)


@pytest.mark.parametrize("name", ["mel", "melee-phase", "yahtzee"])
def test_what_is_kept_is_what_the_texts_say(name: str, made: list[str]) -> None:
    assert said(loaded(SHIPPED / name)) == said(loaded(SHIPPED / name))
    assert len(made) == 1


def test_overlays_are_kept_apart(made: list[str]) -> None:
    plain, lucky = loaded(SHIPPED / "pig"), loaded(SHIPPED / "pig", "pig_lucky")
    assert said(plain) != said(lucky)
    assert said(loaded(SHIPPED / "pig")) == said(plain)
    assert said(loaded(SHIPPED / "pig", "pig_lucky")) == said(lucky)
    assert len(made) == 2


def _rewritten(mel: Path) -> None:
    rules = mel / "mel_things.rules"
    rules.write_text(rules.read_text(encoding="utf-8").replace("morale", "courage", 1) + "# other\n", encoding="utf-8")


def _listed(mel: Path) -> None:
    next(mel.glob("*.clauses.yaml")).unlink()


def _linked(mel: Path) -> None:
    things = mel / "mel_things.rules"
    things.rename(mel / "elsewhere.rules")
    things.symlink_to(mel / "elsewhere.rules")


@pytest.mark.parametrize("change", [_rewritten, _listed, _linked])
def test_after_a_change_on_the_disk_it_is_checked_anew(
    change: Callable[[Path], None], mel: Path, made: list[str]
) -> None:
    loaded(mel)
    change(mel)
    again = loaded(mel)
    assert (again.program, again.diagnostics) == (
        (now := load_ruleset(locate_ruleset(str(mel), DISK))).program,
        now.diagnostics,
    )
    assert made == ["mel.rules"] * 2


def test_what_was_typed_is_seen_and_not_kept(mel: Path, made: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_UNSAVED_CONTENTS", {})
    rules = mel / "mel.rules"
    before = loaded(mel)
    files.set_unsaved_texts({str(rules): rules.read_text(encoding="utf-8").replace("Push", "Shove")})
    assert said(loaded(mel)) != said(before)
    files._UNSAVED_CONTENTS.clear()  # noqa: SLF001 - as another process
    assert said(loaded(mel)) == said(before)
    assert made == ["mel.rules"] * 2


def test_one_with_mistakes_is_checked_each_time(mel: Path, made: list[str]) -> None:
    rules = mel / "mel.rules"
    rules.write_text(rules.read_text(encoding="utf-8") + "\nprocedure\n", encoding="utf-8")
    assert loaded(mel).errors == loaded(mel).errors
    assert made == ["mel.rules"] * 2


def test_what_is_damaged_is_made_anew(mel: Path, made: list[str], tmp_path: Path) -> None:
    first = said(loaded(mel))
    (place,) = (tmp_path / "cache" / "programs").iterdir()
    place.write_bytes(place.read_bytes()[:-1])
    assert said(loaded(mel)) == first
    ruleset_loading.PROGRAM_CACHE.store_bytes(place.name, b"no ruleset")
    assert said(loaded(mel)) == first
    assert made == ["mel.rules"] * 3


def test_what_changes_while_it_is_read_is_not_found_again(mel: Path, made: list[str]) -> None:
    clauses = next(mel.glob("*.clauses.yaml"))
    before = clauses.read_text(encoding="utf-8")

    class Disturbed(DiskFiles):
        def read_file_bytes(self, place: str, most: int) -> bytes:
            content = super().read_file_bytes(place, most)
            if place.endswith(clauses.name):
                clauses.write_text(f"{before}# {len(content)}\n", encoding="utf-8")
            return content

    ruleset_loading.load_cached_ruleset(locate_ruleset(str(mel), DISK), (), Disturbed())
    loaded(mel)
    assert made == ["mel.rules"] * 2


def test_what_is_too_deep_to_be_kept_is_not(made: list[str]) -> None:
    deep: tuple[object, ...] = ()
    for _ in range(100_000):
        deep = (deep,)
    cache_values(ruleset_loading.PROGRAM_CACHE, "deep", deep)
    cache_values(ruleset_loading.PROGRAM_CACHE, "flat", ())
    assert ruleset_loading.PROGRAM_CACHE.load_bytes("deep") is None
    assert ruleset_loading.PROGRAM_CACHE.load_bytes("flat") == pickle.dumps((), pickle.HIGHEST_PROTOCOL)
    assert not made


def test_where_nothing_can_be_kept_it_is_checked_each_time(mel: Path, made: list[str], tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("no folder", encoding="utf-8")
    assert said(loaded(mel)) == said(loaded(mel))
    assert made == ["mel.rules"] * 2


def test_two_processes_that_keep_one_ruleset_leave_it_whole(mel: Path, made: list[str], tmp_path: Path) -> None:
    first = said(loaded(mel))
    command = [sys.executable, "-m", "rulewright", "read", str(mel)]
    (tmp_path / "home" / "rulewright").mkdir(parents=True)
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "home")}
    both = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) for _ in range(2)]
    told = {each.communicate()[0] for each in both}
    told.add(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)
    assert len(told) == 1
    assert len(list((tmp_path / "home/rulewright/programs").iterdir())) == 1
    assert said(loaded(mel)) == first
    assert made == ["mel.rules"]
