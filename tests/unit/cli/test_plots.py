"""Pictures of odds: what they say, where they are refused, and how the same stands in the terminal."""

import json
import re
import shutil
import struct
from importlib import util
from pathlib import Path

import pytest

from rulewright.base.files import get_install_command
from support.duel_example import START, RunCommand

ROOT = Path(__file__).parents[3]
ASKED = ["odds", *START, "--policy", "random", "--of", "mordred.health"]
SWEEP = ["--vary", "mordred.health=1..3", "--vary", "mordred.shield=no,yes"]
COUNTED = ["--runs", "100", "--seed", "1"]
TEXT = re.compile(r"<text[^>]*>([^<]*)</text>")
drawn_here = pytest.mark.skipif(util.find_spec("matplotlib") is None, reason="pictures are an extra")


def texts(file: str) -> list[str]:
    return TEXT.findall(Path(file).read_text(encoding="utf-8"))


@drawn_here
def test_a_distribution_has_its_values_and_shares(run: RunCommand) -> None:
    told = run(*ASKED)
    assert run(*ASKED, "--picture", "odds.svg") == told
    assert {"A strike", "mordred.health", "0", "2", "25.0 %", "75.0 %"} <= set(texts("odds.svg"))


@drawn_here
def test_a_picture_is_the_same_each_time_and_names_no_date(run: RunCommand) -> None:
    run(*ASKED, "--picture", "one.svg")
    run(*ASKED, "--picture", "two.svg")
    drawn = Path("one.svg").read_text(encoding="utf-8")
    assert drawn == Path("two.svg").read_text(encoding="utf-8")
    assert drawn.startswith("<svg ")
    assert "metadata" not in drawn
    assert "<title>A strike</title>" in drawn


@drawn_here
@pytest.mark.parametrize(("style", "said"), [("fraction", {"1/4", "3/4"}), ("odds", {"1 in 4", "3 in 4"})])
def test_a_picture_follows_the_style(run: RunCommand, style: str, said: set[str]) -> None:
    run(*ASKED, "--as", style, "--picture", "odds.svg")
    assert said <= set(texts("odds.svg"))


@drawn_here
def test_a_page_has_picture_and_table_and_nothing_from_elsewhere(run: RunCommand) -> None:
    run(*ASKED, "--of", "mordred.gone", "--picture", "odds.html")
    page = Path("odds.html").read_text(encoding="utf-8")
    assert page.count("<svg ") == page.count("<table") == 2
    row = '<tr><td class="n">2</td><td class="n">75.000 %</td><td class="n">75.000 %</td><td class="n">100.000 %</td>'
    assert row + '<td class="n">3/4</td></tr>' in page
    assert not re.search(r"""(?:src|href)=["']?http""", page)


def test_what_is_drawn_can_be_had_as_data(run: RunCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rulewright.cli.plots.find_spec", lambda _: None)
    assert run(*ASKED, "--picture", "odds.json").exit == 0
    (drawn,) = json.loads(Path("odds.json").read_text(encoding="utf-8"))["pictures"]
    (line,) = drawn["picture"]["lines"]
    assert (drawn["heading"], drawn["picture"]["places"]) == ("mordred.health", ["0", "2"])
    assert (line["heights"], line["said"]) == ([0.25, 0.75], ["25.0 %", "75.0 %"])
    assert drawn["rows"][1] == ["2", "75.000 %", "75.000 %", "100.000 %", "3/4"]
    run(*ASKED, "--of", "mordred.health = 2", "--vary", "mordred.health=2..3", "--picture", "varied.json")
    of_number, of_flag = json.loads(Path("varied.json").read_text(encoding="utf-8"))["pictures"]
    assert [each["heads"][-1] for each in (of_number, of_flag)] == ["on average", "yes"]
    assert {len(row) for row in of_flag["rows"]} == {len(of_flag["heads"])}
    run(*ASKED, "--picture", "odds.json")
    Path("state.json").write_text("{}", encoding="utf-8")
    assert "error RW0013" in run(*ASKED, "--picture", "state.json").err


@drawn_here
def test_a_png_is_one(run: RunCommand) -> None:
    run(*ASKED, "--picture", "odds.png")
    drawn = Path("odds.png").read_bytes()
    assert drawn.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", drawn[16:24])
    assert width > height > 300


@drawn_here
def test_starts_stand_side_by_side(run: RunCommand) -> None:
    run(*ASKED, "--vary", "mordred.health=1..3", "--picture", "odds.svg")
    assert {"mordred.health 1", "mordred.health 2", "mordred.health 3"} <= set(texts("odds.svg"))


@drawn_here
def test_counted_plays_are_drawn_with_their_intervals(run: RunCommand) -> None:
    done = run("simulate", *ASKED[1:], *COUNTED, "--picture", "counted.svg")
    assert done.exit == 0
    assert "95% intervals of 100 plays" in texts("counted.svg")


@drawn_here
def test_what_is_not_followed_is_said_in_the_picture(run: RunCommand) -> None:
    done = run(*ASKED, "--most", "1", "--picture", "odds.svg")
    assert done.exit == 3
    assert any(each.endswith(" % open") for each in texts("odds.svg"))


@drawn_here
def test_whole_numbers_stand_at_whole_numbers(run: RunCommand) -> None:
    throw = 'procedure throw() gives 3..18 "A throw":\n  roll 3d6 as dice\n  finish with total(dice)\n'
    Path("throw.rules").write_text(f'ruleset throw "A throw" revision "1"\n{throw}', encoding="utf-8")
    Path("none.yaml").write_text("players: [red]\n", encoding="utf-8")
    assert run("odds", "throw.rules", "throw", "--state", "none.yaml", "--picture", "odds.svg").exit == 0
    assert "2.5" not in texts("odds.svg")
    assert {"10", "18"} <= set(texts("odds.svg"))


@drawn_here
def test_pairs_are_drawn_beside_each_other(run: RunCommand) -> None:
    pairs = ["simulate", *ASKED[1:], *COUNTED, "--against-policy", "first"]
    assert run(*pairs, "--picture", "pairs.svg") == run(*pairs)
    differ = next(line for line in run(*pairs).out.splitlines() if "pairs differ" in line).split()[0]
    said = f"95% intervals of 100 pairs, of which {differ} differ"
    assert {"mordred.health", "first", "policy first", "0", "2", said} <= set(texts("pairs.svg"))
    run(*pairs, *SWEEP, "--of", "mordred.gone", "--of", "mordred.owner", "--picture", "pairs.html")
    page = Path("pairs.html").read_text(encoding="utf-8")
    assert re.findall("<h2>(.*?)</h2>", page) == [
        "mordred.health: policy first - first, on average",
        "mordred.gone: policy first - first",
        "mordred.owner: policy first - first",
    ]
    assert page.count('<td class="n">3, yes</td>') == 3


@drawn_here
def test_starts_that_cannot_begin_are_left_out_of_pairs(run: RunCommand) -> None:
    start = ["simulate", *ASKED[1:], *COUNTED, "--against-policy", "first", "--vary", "gawain.health=0..1"]
    assert run(*start, "--picture", "pairs.html").exit == 1
    assert '<td class="n">0</td><td class="n"></td>' in Path("pairs.html").read_text(encoding="utf-8")


@drawn_here
def test_advice_is_drawn(run: RunCommand) -> None:
    Path("falls.yaml").write_text("blow: 6\n", encoding="utf-8")
    asked = ["odds", *START, "--best", "blue:mordred.health", "--advise", "--script", "falls.yaml"]
    assert run(*asked, "--picture", "advice.svg").exit == 0
    assert {"blue: Parry?", "mordred.health on average", "yes (best)", "no", "2", "0"} <= set(texts("advice.svg"))
    run(*asked, "--picture", "advice.html")
    assert '<td class="n">no</td><td class="n">0</td>' in Path("advice.html").read_text(encoding="utf-8")
    assert "error RW1197: advice is shown in a table of its own" in run(*asked, "--show", "at-least").err


def test_without_its_library_a_picture_is_refused_before_the_work(
    run: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rulewright.cli.plots.find_spec", lambda _: None)
    done = run(*ASKED, "--picture", "odds.svg")
    assert (done.exit, done.out) == (2, "")
    assert done.err == (
        f"error RW1195: the library for pictures is not installed\n  help: `{get_install_command('pictures')}`\n"
    )


@drawn_here
def test_where_no_play_ends_within_the_limit_the_picture_is_empty(run: RunCommand) -> None:
    shutil.copytree(ROOT / "rulesets/blackjack", "blackjack")
    start = ["blackjack/blackjack.scenario.yaml", "the dealer draws to 17, and is over 21", "--no-script"]
    done = run("odds", *start, "--policy", "random", "--of", "result", "--most", "40", "--picture", "empty.svg")
    assert "no play ends within" in done.out + done.err
    assert "result" in "".join(texts("empty.svg"))
