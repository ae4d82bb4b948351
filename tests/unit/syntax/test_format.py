"""The formatter changes how a text looks, and nothing else."""

from pathlib import Path
from re import sub

import pytest
from hypothesis import given, settings, strategies as some

from rulewright.base.files import get_resource_folder
from rulewright.base.source import Text
from rulewright.syntax.format import format_file, has_same_meaning
from rulewright.syntax.nodes.declarations import File
from rulewright.syntax.parser import parse_rules_text
from support.sample_sizes import choose_count

SAMPLE = """\
# A file of everything that is spaced in its own way.
ruleset x "X" revision "1"

kind Unit, units "A unit":  @1.a @1.b
  owner: player
  at: hex?
  speed: -3..9 = -1  # beside
  near(d: 0..9) means {each u in units where distance(u.at, at) <= d - 1}

die odd: 1 * 2, 3
tally bonus(u: Unit) from -u.speed:
  first: +1 for each o in units when not o.gone
  # a comment of its own
  second: times 1 / 2 "half"
  third: if(u.gone, 1, 2)

table t(a: 0..9, b: Side) gives 0..9:
  across b: left | right
  low: at most 3 | 1 | 2
  4..9 | 3 | 4

procedure p(a: Unit, b: Unit) "P":
  follow: move a to b.at  @2
  roll [1 of d20, n of d6 drop lowest 1] as check by a.owner
  if (a = b) or (some u in units):

    set scores[a, b] to if(a = b, -1, +2)
  else if -a.speed > 3 and f(a)(b)[1].c:
    ask a.owner for x in {a, b} where x != none "Which?"
    # the last word of the block
  again: if (a = b) or (some u in units):
    nothing
  # of the procedure
  step A.1 "One" when (no u in units):
    perform p(a, b) steps A.1 to A.1 at most 2 deep

replace row p/A.1/x-y: +1 when a / b = 3
"""


def read(content: str) -> File:
    parsed = parse_rules_text(Text("a.rules", content))
    assert parsed.diagnostics == ()
    assert parsed.file is not None
    return parsed.file


def formatted(content: str) -> str:
    return format_file(read(content), Text("a.rules", content))


def test_a_canonical_text_stays() -> None:
    assert formatted(SAMPLE) == SAMPLE


def test_a_text_with_mistakes_is_not_formatted() -> None:
    with pytest.raises(ValueError, match="without mistakes"):
        format_file(read(""), Text("a", "foo\n"))


def test_same_meaning_sees_every_word() -> None:
    assert has_same_meaning(read(SAMPLE), read(SAMPLE.replace("  ", "    ")))
    assert not has_same_meaning(read(SAMPLE), read(SAMPLE.replace("lowest 1", "lowest 2")))
    assert not has_same_meaning(read(SAMPLE), read(SAMPLE.replace("@1.a", "@1.c")))
    assert not has_same_meaning(read(SAMPLE), read(SAMPLE.replace("# beside", "# besides")))


SHIPPED = sorted(get_resource_folder("rulesets").rglob("*.rules"))


@pytest.mark.parametrize("path", SHIPPED, ids=[path.stem for path in SHIPPED])
def test_shipped_rules_keep_their_meaning(path: Path) -> None:
    content = path.read_text(encoding="utf-8")
    once = formatted(content)
    assert has_same_meaning(read(content), read(once))
    assert formatted(once) == once


@settings(deadline=None, max_examples=choose_count(6, 25))
@given(some.data())
def test_untidy_texts_keep_their_meaning(data: some.DataObject) -> None:
    def wider(blanks: str) -> str:
        return blanks + data.draw(some.sampled_from(["", "", "", " ", "  "]))

    step = data.draw(some.sampled_from([1, 2, 3, 5]))
    lines = []
    for line in SAMPLE.splitlines():
        indent = (len(line) - len(line.lstrip())) // 2 * step
        body = (
            line.lstrip() if "#" in line else sub(r'(?<=[\w)\]}"]) (?=[\w({\["@])', lambda _: wider(" "), line.lstrip())
        )
        lines.append(" " * indent + body)
        if data.draw(some.booleans()):
            lines.append(" " * data.draw(some.integers(0, 3)))
    untidy = "\n".join(lines)
    once = formatted(untidy)
    assert has_same_meaning(read(untidy), read(once))
    assert formatted(once) == once


def test_many_comments_are_laid_out_as_fast_as_few() -> None:
    content = 'ruleset x "X" revision "1"\n' + "# word\n" * 50_000
    assert format_file(read(content), Text("a.rules", content)) == content
