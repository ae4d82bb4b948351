"""Prints how the time of `check`, `run` and `diff` grows with their input: `python tests/benchmarks/growth.py`.

Verbs, parts of the names of curves and sizes can be given: `growth.py check chain 1000 2000 4000`.

Each curve is a text that is made larger in one way and nothing else. The verb is called as the command line calls it;
times are of the processor. What can be compared from machine to machine is the exponent: the slope of a line through
the logarithms of sizes and times, 1 where twice as much takes twice as long, 2 where it takes four times as long.
"""

import gc
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from math import log
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from rulewright.cli.main import run_command_line

EXITS = {"check": 0, "run": 0, "diff": 3}
"""How each verb ends: of play `diff` knows nothing, for it may play nothing."""
HEAD = """ruleset example "Example" revision "1"
kind Unit, units:
  owner: player
  health: 0..9
game:
  fate: 0..9 = 0
"""
GO = 'procedure go(unit: Unit) "Go":\n'
TEN = """procedure p{i}(unit: Unit) "Part {i}":
  step 1 "First":
    if unit.health > 3:
      set unit.health to 3
    let a = min(9, unit.health + 1)
    if a > 2:
      set unit.health to a
  step 2 "Second" when unit.health = 2:
    for each u in units:
      set u.health to 1
"""


@dataclass(frozen=True, slots=True)
class Curve:
    """Texts that grow.

    Attributes:
        name: what grows.
        text: the rules at a size; one digit of them is changed for `diff`.
        sizes: from the smallest to the largest.
        things: how many things are in play at a size.
    """

    name: str
    text: Callable[[int], str]
    sizes: tuple[int, ...] = (100, 200, 400)
    things: Callable[[int], int] = lambda _: 3


def many(count: int, line: str) -> str:
    """A line for each number, which stands for `{i}`; `{h}` is the one before."""
    return "".join(line.replace("{i}", str(i)).replace("{h}", str(i - 1)) + "\n" for i in range(1, count + 1))


def last(line: str) -> str:
    """The line at the end that makes the edited text differ."""
    return f"  {line}\n  set fate to 1\n"


def lines(size: int) -> str:
    """Many procedures of ten lines."""
    return HEAD + many(size // 10, TEN.rstrip("\n")) + GO + last("perform p1(unit)")


def steps(size: int) -> str:
    """Many steps in one procedure."""
    return (
        HEAD
        + GO
        + many(size, '  step {i} "Step {i}":\n    set unit.health to 3')
        + '  step end "End":\n    set fate to 1\n'
    )


def lets(size: int) -> str:
    """Many values in one procedure, each of its own."""
    return (
        HEAD
        + GO
        + many(size, "  let a{i} = min(9, unit.health + 1)\n  set unit.health to a{i}")
        + last("set fate to 2")
    )


def chain(size: int) -> str:
    """Many values in one procedure, each made from the one before."""
    return (
        HEAD
        + GO
        + "  let a0 = unit.health\n"
        + many(size, "  let a{i} = a{h} + 1")
        + last(f"set unit.health to min(9, a{size})")
    )


def table(size: int) -> str:
    """Many rows of a table."""
    return (
        f'{HEAD}table pay(a: 0..{size}) gives 0..9 "Pay":\n{many(size, "  r{i}: {i} | 1")}  zero: 0 | 0\n'
        f"{GO}{last('set unit.health to pay(unit.health)')}"
    )


def decide(size: int) -> str:
    """Many rows of a decision."""
    return (
        f'{HEAD}decide pay(a: 0..{size}) gives 0..9 "Pay":\n{many(size, "  r{i}: 1 when a = {i}")}  rest: 2 otherwise\n'
        f"{GO}{last('set unit.health to pay(unit.health)')}"
    )


def tally(size: int) -> str:
    """Many rows of a tally."""
    return (
        f'{HEAD}tally pay(u: Unit) from 1 "Pay":\n{many(size, "  r{i}: +1 when u.health + {i} > 8")}'
        f"{GO}{last('set unit.health to min(9, pay(unit))')}"
    )


def sums(size: int) -> str:
    """Operators inside each other."""
    return HEAD + GO + last(f"set unit.health to min(9, unit.health{' + unit.health' * size})")


def parentheses(size: int) -> str:
    """Calls inside each other."""
    return HEAD + GO + last(f"set unit.health to {'min(9, 1 + ' * size}unit.health{')' * size}")


def conditions(size: int) -> str:
    """Conditions in one line."""
    return HEAD + GO + last(f"if unit.health > 3{' and unit.health > 3' * size}:\n    set unit.health to 1")


def blocks(size: int) -> str:
    """Blocks inside each other."""
    inside = "".join("  " * (i + 1) + f"if unit.health != {i % 10}:\n" for i in range(size))
    return HEAD + GO + inside + "  " * (size + 1) + "set unit.health to 1\n" + last("set fate to 2")


def performs(size: int) -> str:
    """Procedures that perform the next one."""
    chained = many(size, 'procedure p{i}(unit: Unit) "Part {i}":\n  perform p{h}(unit)')
    first = 'procedure p0(unit: Unit) "Part 0":\n  set unit.health to 1\n'
    return HEAD + first + chained + GO + last(f"perform p{size}(unit)")


def terms(size: int) -> str:
    """Terms that are made from the next one."""
    chained = many(size, "term t{i}(u: Unit) gives 0..9 means min(9, t{h}(u) + 1)")
    return f"{HEAD}term t0(u: Unit) gives 0..9 means u.health\n{chained}{GO}{last(f'set unit.health to t{size}(unit)')}"


def standing(number: str, condition: str, line: str) -> str:
    """A standing rule about the health of all units."""
    return (
        f'whenever r{number} for each u in units "Rule {number}":\n'
        f"  when u.{condition}\n  priority 1\n  lowers count(each v in units where v.{condition})\n  {line}"
    )


def rules(size: int) -> str:
    """Standing rules."""
    return HEAD + many(size, standing("{i}", "health + {i} = fate", "set u.health to 9")) + GO + last("set fate to 0")


def always(size: int) -> str:
    """Things that must always hold."""
    return (
        HEAD
        + many(size, 'always a{i} for each u in units: u.health + {i} > 0 "Holds {i}"')
        + GO
        + last("set unit.health to 3")
    )


def words(size: int) -> str:
    """Words of a list."""
    found = ", ".join(f"w{i}" for i in range(size))
    chosen = f"  let a = if(unit.health = 1, Word.w0, Word.w{size - 1})\n"
    return f"{HEAD}values Word: {found}\n{GO}{chosen}{last('set unit.health to if(a = Word.w1, 1, 2)')}"


def attributes(size: int) -> str:
    """Attributes of a kind."""
    return (
        HEAD.replace("game:", many(size, "  b{i}: 0..9 = 0") + "game:")
        + GO
        + many(size, "  set unit.b{i} to 1")
        + last("set unit.health to 3")
    )


def loop(_: int) -> str:
    """A loop over all things."""
    return HEAD + GO + "  for each u in units:\n    set u.health to 1\n" + last("set unit.health to 3")


def counts(_: int) -> str:
    """Counts over all things."""
    return HEAD + GO + "  let n = count(each u in units where u.health > 2)\n" + last("set unit.health to min(9, n)")


def watched(_: int) -> str:
    """A loop over all things under a standing rule and a condition that must hold."""
    kept = standing("0", "health = 0", "remove u") + '\nalways alive for each u in units: u.health < 9 "Low"\n'
    return HEAD + kept + GO + "  for each u in units:\n    set u.health to 0\n" + last("set fate to 3")


def asked(_: int) -> str:
    """A choice among all things."""
    return HEAD + GO + '  ask unit.owner for one in units where one.health > 1 "Which?"\n' + last("set one.health to 3")


CURVES = (
    Curve("lines of many procedures", lines, (1000, 2000, 4000)),
    Curve("steps of a procedure", steps),
    Curve("lets of a procedure", lets),
    Curve("lets in a chain", chain),
    Curve("rows of a table", table),
    Curve("rows of a decision", decide, (30, 60, 120)),
    Curve("rows of a tally", tally),
    Curve("operators in a line", sums, (22, 44, 88)),
    Curve("conditions in a line", conditions, (22, 44, 88)),
    Curve("calls inside each other", parentheses, (6, 12, 24)),
    Curve("blocks inside each other", blocks, (12, 24, 48)),
    Curve("performs in a chain", performs),
    Curve("terms in a chain", terms, (60, 120, 240)),
    Curve("standing rules", rules, (15, 30, 60)),
    Curve("conditions that must hold", always),
    Curve("words of a list", words),
    Curve("attributes of a kind", attributes),
    Curve("things: loop", loop, things=int),
    Curve("things: count", counts, things=int),
    Curve("things: watched", watched, things=int),
    Curve("things: choice", asked, things=int),
)


def exponent(points: Iterable[tuple[float, float]]) -> float:
    """The slope of the line of least squares through the logarithms of sizes and times."""
    logs = [(log(size), log(time)) for size, time in points]
    middle, height = (sum(column) / len(logs) for column in zip(*logs, strict=True))
    spread = sum((x - middle) ** 2 for x, _ in logs)
    return float(sum((x - middle) * (y - height) for x, y in logs) / spread)


def seconds(verb: str, curve: Curve, size: int, folder: Path) -> float:
    """The time of the processor that a command takes which reads its texts for the first time."""
    text = curve.text(size)
    units = "".join(f"  u{i}: {{owner: red, health: 5}}\n" for i in range(curve.things(size)))
    (folder / "old.rules").write_text(text, encoding="utf-8")
    (folder / "new.rules").write_text(text.replace("fate to 1", "fate to 2"), encoding="utf-8")
    (folder / "state.yaml").write_text(f"players: [red]\nunits:\n{units}", encoding="utf-8")
    old, new, state = (str(folder / name) for name in ("old.rules", "new.rules", "state.yaml"))
    command = {
        "check": ("check", old),
        "run": ("run", old, "go", "--state", state, "--with", "unit=u0", "--policy", "first", "--max-depth", "2000"),
        "diff": ("diff", old, new, "--work", "0"),
    }[verb]
    with redirect_stdout(StringIO()) as said, redirect_stderr(said):
        begun = process_time()
        ended = run_command_line(command)
        taken = process_time() - begun
    assert ended == EXITS[verb], said.getvalue()[:500]
    return taken


def main(arguments: Sequence[str] = (), sizes: Sequence[int] = ()) -> None:
    """Prints a row for each curve and verb, or for those that arguments name, at other sizes where some are given."""
    verbs = [each for each in EXITS if each in arguments] or list(EXITS)
    sizes = sizes or [int(each) for each in arguments if each.isdigit()]
    names = [each for each in arguments if each not in EXITS and not each.isdigit()]
    gc.set_threshold(500_000)  # as the command does
    with TemporaryDirectory() as made:
        os.environ["XDG_CACHE_HOME"] = made
        folder = Path(made)
        for verb in verbs:
            seconds(verb, CURVES[0], 10, folder)  # modules are imported
        for curve in CURVES:
            if names and not any(each in curve.name for each in names):
                continue
            for verb in verbs:
                points = [(size, seconds(verb, curve, size, folder)) for size in sizes or curve.sizes]
                told = "  ".join(f"{size}: {time:.2f}" for size, time in points)
                print(f"{curve.name:<28} {verb:<6} {exponent(points):5.2f}   {told}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
