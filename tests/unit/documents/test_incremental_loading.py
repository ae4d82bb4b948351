"""Loading again after an edit comes to what loading alone comes to: program, findings and places."""

import random
import re
from pathlib import Path

import pytest

from rulewright.base.files import DISK, FileProvider, MemoryFiles, RevisedFiles, get_resource_folder
from rulewright.base.source import Text
from rulewright.documents.ruleset_loading import IncrementalLoader, load_ruleset
from rulewright.documents.ruleset_location import RulesetLocation, locate_ruleset
from rulewright.editor.live_text import split_declarations
from rulewright.syntax.nodes import ParsedText
from rulewright.syntax.parser import parse_rules_text
from support.sample_sizes import choose_count

EDITS = {"necromunda-close-combat": 6, "legion-melee": 14, "melee-phase": 14, "tricorne-melee": 14}
RULESETS = sorted(each.name for each in get_resource_folder("rulesets").iterdir() if each.is_dir())

_PLACE = re.compile(r"\b\d+\b|[<>]=?| [+-] |\bnot |\b[a-z_]+\b|\n +")
_OTHER = {
    "<": [">=", ">"],
    ">": ["<", ">="],
    "<=": ["<"],
    ">=": [">", "<="],
    " + ": [" - "],
    " - ": [" + "],
    "not ": [""],
}


class Fresh:
    """Reads every text, each once."""

    def __init__(self) -> None:
        self._known: dict[Text, ParsedText] = {}

    def __call__(self, text: Text, provider: FileProvider) -> ParsedText:
        del provider
        if text not in self._known:
            self._known[text] = parse_rules_text(text)
        return self._known[text]


def edited(content: str, chance: random.Random) -> str:
    """A text with one word, number, sign or indentation another, or one more line."""
    found = list(_PLACE.finditer(content))
    place = chance.choice(found)
    written = place.group()
    if written.isdigit():
        others = [str(int(written) + 1), f"{written}0"]
    elif written.startswith("\n"):
        others = [f"{written}nothing{written}", written[:-1], f"{written} ", "\n\n# a comment" + written]
    else:
        others = _OTHER.get(written) or [
            "other",
            f"{written}x",
            written[:-1],
            chance.choice(found).group(),
            f"\n  {written}",
            "(",
        ]
    return content[: place.start()] + chance.choice(others) + content[place.end() :]


ADDED = (
    'ruling NEW.1 "Read so"\n',
    "term added gives 1..5 means 3\n",
    "term added(n: 0..9) gives flag means n > 3\n",
    "setting added: 0..3 = 1\n",
    'event added(n: 0..9) "Something"\n',
    "event added(p: player) on removal\n",
    "procedure added:\n  nothing\n",
    "values Added: first_word, other_word\n",
)


def declared_otherwise(content: str, chance: random.Random) -> str:
    """A text with a declaration more, less, twice, elsewhere, or one with another title, name or parameter."""
    parts = list(split_declarations(content))
    first, other = chance.randrange(len(parts)), chance.randrange(len(parts))
    name = chance.choice(re.findall(r"\b[a-z]\w+\b", content))
    match chance.randrange(8):
        case 0:
            parts.insert(first, chance.choice(ADDED))
        case 1:
            parts.insert(first, parts[other])
        case 2:
            del parts[first]
        case 3:
            parts[first], parts[other] = parts[other], parts[first]
        case 4:
            return re.sub(r'"\n', ' more"\n', content, count=chance.randrange(1, 4))
        case 5:
            more = chance.choice([f"{name}, ", "other_word, "])
            return re.sub(r"(?<=\n)(values \w+:\s+)", rf"\g<1>{more}", content, count=chance.randrange(1, 3))
        case 6:
            return re.sub(rf"\b{name}\b", f"{name}x", content, count=chance.randrange(2))
        case _:
            return re.sub(
                r"^(term|procedure|tally|event) (\w+)\(", r"\1 \2(extra: 0..3, ", content, count=1, flags=re.MULTILINE
            )
    return "".join(parts)


@pytest.mark.parametrize("following", [False, True])
@pytest.mark.parametrize("name", RULESETS)
def test_an_edit_comes_to_the_same(name: str, following: bool) -> None:
    chance, fresh, again = random.Random(f"{name} {following}"), Fresh(), IncrementalLoader(following=following)
    located = locate_ruleset(str(get_resource_folder("rulesets") / name))
    contents = {each.name: each.content for each in again.load_changed(located).texts.values()}
    now = dict(contents)
    for _ in range(EDITS.get(name, 24) // choose_count(12, 2)):
        place = chance.choice(sorted(now))
        change = declared_otherwise if chance.random() < 0.5 and place.endswith(".rules") else edited
        now = {**(now if following else contents), place: change(now[place] if following else contents[place], chance)}
        provider = RevisedFiles(DISK, now)
        found, alone = again.load_changed(located, (), provider), load_ruleset(located, (), provider, fresh)
        assert found.diagnostics == alone.diagnostics
        assert found.program == alone.program
        assert found.symbols.uses == alone.symbols.uses
        if following and alone.program is None:
            now = dict(contents)


RULES = """\
ruleset small "Small" revision "1"

kind Knight, knights:
  health: 0..9
  shield: flag = no

values Mood: calm, wild
setting mood: Mood = calm "how all feel"

term most gives 1..5 means 3
term worst gives 1..9 means most + 1

procedure first(one: Knight):
  take up to most from one.health

procedure second(one: Knight):
  require alive: one.health > 0 "down"
  perform first(one)

procedure third(one: Knight):
  if one.health > 5 and not mood = wild:
    perform second(one)
    take up to worst from one.health
"""


@pytest.mark.parametrize(
    ("old", "new", "again"),
    [
        ("one.health > 5", "one.health > 6", {"third"}),
        ("calm, wild", "calm, glad, wild", {"third"}),
        ("values Mood", "values Luck: good, bad\n\nvalues Mood", set()),
        ("shield: flag", "luck: 0..1 = 0\n  shield: flag", {"most", "worst", "first", "second", "third"}),
        ("take up to most", "nothing\n  take up to most", {"first"}),
        ("take up to most from one.health", "set one.shield to yes", {"first", "second", "third"}),
        ("one.health > 0", "one.health > 1", {"second"}),
        ("most + 1", "most + 2", {"worst", "third"}),
        ("means 3", "means 4", {"most", "worst", "first", "third"}),
        ("\nprocedure first", "term other gives 1..9 means 2\n\nprocedure first", {"other"}),
        ("\nprocedure first", 'ruling S.1 "so"\n\nprocedure first', set()),
        ("\nprocedure first", "event seen()\n\nprocedure first", {"seen"}),
        ('"down"', '"is down"', {"second"}),
        ("second(one: Knight):", 'second(one: Knight) "The second":', {"second"}),
        ("gives 1..5", "gives 1..6", {"most", "worst", "first", "third"}),
        ("second(one: Knight):", "second(one: Knight, n: 0..3 = 1):", {"second", "third"}),
        ("shield: flag = no", 'shield: flag = no "a shield"', set()),
        ('"Small"', '"A small one"', set()),
        ("0..9", "0..8", {"most", "worst", "first", "second", "third"}),
    ],
)
def test_only_what_reads_the_edit_is_checked_again(old: str, new: str, again: set[str]) -> None:
    loader, located = IncrementalLoader(), RulesetLocation("small.rules")
    before = loader.load_changed(located, (), MemoryFiles({"small.rules": RULES})).incremental_state
    found = loader.load_changed(located, (), MemoryFiles({"small.rules": RULES.replace(old, new)}))
    alone = load_ruleset(located, (), MemoryFiles({"small.rules": RULES.replace(old, new)}))
    assert (found.program, found.diagnostics) == (alone.program, alone.diagnostics)
    assert before is not None
    assert found.program is not None
    standing = before.find_reusable(alone.linked, {name: each.content for name, each in alone.texts.items()})  # type: ignore[arg-type]
    assert alone.incremental_state is not None
    after = alone.incremental_state.environment
    kept = standing.filter_by_effects(after.effects) if standing else {}
    known = before.environment.results_store.results
    stale = {name for _, name in known if (_, name) not in kept}
    new = {name for _, name in after.results_store.results if (_, name) not in known}
    assert stale | new == again


def test_an_error_far_away_is_told_at_its_new_place(tmp_path: Path) -> None:
    wrong = RULES.replace("up to worst", "up to wurst")
    again, place = IncrementalLoader(following=True), tmp_path / "small.rules"
    for line in ("", "# one\n", "# one\n# two\n", ""):
        place.write_text(wrong.replace("term most", f"{line}term most"), encoding="utf-8")
        located = locate_ruleset(str(place))
        assert again.load_changed(located).diagnostics == load_ruleset(located).diagnostics != ()


FOLLOWING = """
procedure fourth():
  step 1 "One":
    let low = worse
    if low > 1:
      nothing
  step 2 "Two":
    nothing
"""


def test_what_only_follows_from_an_error_stays_untold() -> None:
    again, located = IncrementalLoader(following=True), RulesetLocation("small.rules")
    for text in (RULES, *3 * [RULES + FOLLOWING], f"# more\n{RULES}{FOLLOWING}"):
        found = again.load_changed(located, (), MemoryFiles({"small.rules": text})).errors
        assert [each.message for each in found] == ["`worse` is not known here"] * (text != RULES)
