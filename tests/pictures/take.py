"""Pictures of the pages that the commands make of the shipped rulesets, compared with how they looked before.

`.ci/pictures FOLDER` puts them into a folder to be looked at. A picture is compared as a few greys (`seen.json`), so
that fonts of another machine do not matter; `--accept` takes what is seen now. Checked besides: a sheet fits on two
pages, and nothing is wider than a phone.
"""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from browser import Browser

from rulewright.base.files import DISK
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset

ROOT = Path(__file__).parents[2]
SEEN = Path(__file__).with_name("seen.json")
PAPERS = {"a4": (8.27, 11.69), "letter": (8.5, 11.0)}
PHONE = (390, 1600)
WINDOW = (900, 1250)
GREYS = (12, 16)
MOST_PAGES = 3
MARKED = "mel"
BREATH = """\
  step MEL.75 "Take breath" when winner != none:
    ask winner.owner whether breath "Take breath?":
      set winner.extra_attack to 1

"""
REVISED = (
    ('revision "1"', 'revision "2"'),
    ("tied: defender", "tied: attacker"),
    ("ties go to the defender", "ties go to the attacker"),
    ("take 1 from loser.morale  @60.e", "take up to 2 from loser.morale  @60.e"),
    ('  step MEL.80 "End of action"', f'{BREATH}  step MEL.80 "End of action"'),
)
"""What another revision of a ruleset says otherwise, for pictures of what differs."""
MEAN, MOST = 8, 70
"""How far the greys of two pictures may differ, on average and in one place."""


@dataclass(frozen=True)
class Taken:
    """A picture, and what is wrong with the page it shows."""

    name: str
    picture: bytes
    faults: tuple[str, ...] = ()


def main(arguments: list[str]) -> int:
    """Takes all pictures, compares them, says what differs; 1 if anything does."""
    accept = "--accept" in arguments
    folder = Path(next((each for each in arguments if not each.startswith("-")), "pictures")).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    known = json.loads(SEEN.read_text(encoding="utf-8")) if SEEN.exists() else {}
    seen, faults = {}, []
    with Browser(shutil.which("chromium") or shutil.which("chromium-browser") or "chromium") as browser:
        every = (taken for ruleset in rulesets() for taken in pictures(browser, ruleset, folder))
        for each in chain(every, marked(browser, folder)):
            (folder / f"{each.name}.png").write_bytes(each.picture)
            seen[each.name] = browser.shrunk(each.picture, *GREYS)
            faults += [f"{each.name}: {fault}" for fault in each.faults]
            if not accept and not alike(seen[each.name], known.get(each.name, ())):
                faults.append(f"{each.name}: does not look as before; look at {folder / each.name}.png")
    if accept:
        lines = (f"{json.dumps(name)}: {json.dumps(greys)}" for name, greys in sorted(seen.items()))
        SEEN.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print("\n".join([*faults, f"{len(seen)} pictures in {folder}, {len(faults)} findings"]))
    return 1 if faults else 0


def rulesets() -> list[str]:
    """The names of the shipped rulesets."""
    return sorted(each.name for each in (ROOT / "rulesets").iterdir() if each.is_dir())


def pictures(browser: Browser, ruleset: str, folder: Path) -> Iterator[Taken]:
    """What is looked at of a ruleset: chapter, sheet and the chart of its longest procedure."""
    for sort, options in (("chapter", ()), ("sheet", ("--sheet",))):
        page = folder / f"{ruleset}.{sort}.html"
        told("read", ruleset, *options, "--html", str(page))
        yield on_phone(browser, page)
        for paper in PAPERS:
            yield on_paper(browser, page, paper, is_sheet=sort == "sheet")
    chart = folder / f"{ruleset}.chart.svg"
    told("draw", ruleset, longest_procedure(ruleset), "--write", str(chart))
    yield on_phone(browser, chart)
    yield on_paper(browser, chart, "a4", is_sheet=False)


def marked(browser: Browser, folder: Path) -> Iterator[Taken]:
    """A chart marked by scenarios, one marked by an older revision, and the page of a comparison."""
    old, new = ROOT / "rulesets" / MARKED, folder / "revised" / MARKED
    shutil.copytree(old, new, dirs_exist_ok=True)
    rules = new / f"{MARKED}.rules"
    text = rules.read_text(encoding="utf-8")
    for before, after in REVISED:
        assert before in text, before
        text = text.replace(before, after)
    rules.write_text(text, encoding="utf-8")
    for sort, drawn, against in (("cover", old, old), ("against", new, old)):
        chart = folder / f"{MARKED}.{sort}.svg"
        told("draw", str(drawn), longest_procedure(MARKED), f"--{sort}", str(against), "--write", str(chart))
        yield on_phone(browser, chart)
        for paper in PAPERS:
            yield on_paper(browser, chart, paper, is_sheet=False)
    page = folder / f"{MARKED}.diff.html"
    told("diff", str(old), str(new), "--html", str(page), differs=True)
    yield on_phone(browser, page)
    for paper in PAPERS:
        yield on_paper(browser, page, paper, is_sheet=False)


def on_phone(browser: Browser, page: Path) -> Taken:
    """The beginning of a page at the width of a phone."""
    browser.size(*PHONE)
    browser.open(page.as_uri())
    width = browser.asked("document.documentElement.scrollWidth")
    fault = (f"{width} pixels wide, a phone has {PHONE[0]}",) if width > PHONE[0] else ()
    return Taken(f"{page.stem}.phone", browser.picture(), fault)


def on_paper(browser: Browser, page: Path, paper: str, *, is_sheet: bool) -> Taken:
    """The first page of a sheet or chart on paper; of a chapter the second, where its rules begin."""
    browser.size(*WINDOW)
    browser.open(page.as_uri())
    printed = page.with_suffix(f".{paper}.pdf")
    printed.write_bytes(browser.paper(*PAPERS[paper]))
    pages = len(re.findall(rb"/Type /Page\b", printed.read_bytes()))
    fault = (f"{pages} pages, a sheet has {MOST_PAGES}",) if is_sheet and pages > MOST_PAGES else ()
    shown = browser.sheet_of_paper(printed, 2 if ".chapter." in page.name else 1)
    return Taken(f"{page.stem}.{paper}", shown, fault)


def longest_procedure(ruleset: str) -> str:
    """The name of the procedure with most steps."""
    program = load_ruleset(locate_ruleset(ruleset, DISK), (), DISK).program
    assert program is not None
    return max(program.procedures.values(), key=lambda each: len(each.steps)).name


def told(*arguments: str, differs: bool = False) -> str:
    """What the command line prints; where two revisions differ it ends with 1.

    Raises:
        CalledProcessError: it failed.
    """
    command = [sys.executable, "-m", "rulewright", *arguments]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT)
    if done.returncode != differs:
        done.check_returncode()
    return done.stdout


def alike(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether two pictures look the same from afar."""
    if len(one) != len(other):
        return False
    apart = [abs(this - that) for this, that in zip(one, other, strict=True)]
    return sum(apart) / len(apart) <= MEAN and max(apart) <= MOST


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
