"""Edits of a ruleset's lines as people make them: some leave play as it is more often than not, others change it.

What an edit makes may have errors: whoever draws edits asks the checker.
"""

import re
from collections.abc import Callable, Iterator
from random import Random
from typing import TypeVar

Lines = list[str]
Edit = Callable[[Lines, Random], Lines | None]
T = TypeVar("T")

RENAMED = "_zz"
"""What follows a name that an edit renamed."""
_PLANS = ("P", "PP", "PPP", "B", "PB", "PB", "PPB", "BB")
_TRIES = 8
_IF = re.compile(r"^(\s*)if (.+):\s*$")
_COMPARISON = re.compile(r"(?<![\w(])([\w.]+) (>=|<=|>|<|=|!=) ([\w.]+)(?![\w(.\[])")
_TURNED = {">=": "<=", "<=": ">=", ">": "<", "<": ">", "=": "=", "!=": "!="}
_DENIED = {">=": "<", "<": ">=", ">": "<=", "<=": ">", "=": "!=", "!=": "="}
_VERB = re.compile(
    r"\s*(take|add|set|perform|trigger|remove|if|for each|move|repeat|turn|place|draw|shuffle|roll|ask)\b"
)
_NAMED = tuple(
    re.compile(each)
    for each in (
        r"^\s*let (\w+)",
        r"^procedure (\w+)",
        r"^(?:term|tally|decide|table|handler|whenever|event) (\w+)",
        r"^  (\w+): \d",
        r"^  (\w+) means",
        r"for each (\w+)",
        r"ask .* for (\w+) in",
        r" as (\w+)",
    )
)
_WORDS = (
    ("highest", "lowest"),
    ("some", "every"),
    ("some", "no"),
    ("min", "max"),
    ("and", "or"),
    ("keep", "drop"),
    ("up to ", ""),
    ("players", "{}"),
)
_OPTION = re.compile(r" (optional|symmetric|secretly|first taker)\b")


def drawn(text: str, draw: Random) -> tuple[str, tuple[str, ...]]:
    """A text with one to three edits, and what they are called."""
    lines, done = text.splitlines(), []
    for kind in draw.choice(_PLANS):
        for _ in range(_TRIES):
            edit = draw.choice(KEEPING if kind == "P" else CHANGING)
            made = edit(list(lines), draw)
            if made is not None and made != lines:
                lines = made
                done.append(edit.__name__)
                break
    return "\n".join(lines) + "\n", tuple(done)


def renamed(text: str, like: str) -> str:
    """A text with the names that another one renamed."""
    for name in set(re.findall(rf"\b(\w+?){RENAMED}\b", like)):
        text = re.sub(rf"\b{name}\b", name + RENAMED, text)
    return text


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _end(lines: Lines, at: int) -> int:
    """Where what begins at a line ends."""
    after = at + 1
    while after < len(lines) and (not lines[after].strip() or _indent(lines[after]) > _indent(lines[at])):
        after += 1
    return after


def _next(lines: Lines, at: int) -> int | None:
    """The line that follows it in its block."""
    after = _end(lines, at)
    follows = after < len(lines) and lines[after].strip() and _indent(lines[after]) == _indent(lines[at])
    return after if follows else None


def _inside(lines: Lines) -> list[int]:
    """Lines within a declaration."""
    return [at for at, each in enumerate(lines) if _indent(each) >= 2 and not each.strip().startswith("#")]


def _carried_out(lines: Lines) -> list[int]:
    """Lines that do something."""
    found, inside = [], False
    for at, each in enumerate(lines):
        if each.strip() and not _indent(each):
            inside = each.startswith(("procedure", "inner procedure", "handler"))
        if inside and _indent(each) >= 2 and _VERB.match(each):
            found.append(at)
    return found


def _ifs(lines: Lines) -> list[tuple[int, re.Match[str]]]:
    return [(at, found) for at, each in enumerate(lines) if (found := _IF.match(each))]


def _found(lines: Lines, pattern: str | re.Pattern[str]) -> list[tuple[int, re.Match[str]]]:
    """Where something stands within a declaration, out of texts."""
    return [(at, each) for at in _inside(lines) for each in re.finditer(pattern, lines[at].split('"')[0])]


def _put(lines: Lines, at: int, found: re.Match[str], new: str) -> Lines:
    line = lines[at]
    return [*lines[:at], line[: found.start()] + new + line[found.end() :], *lines[at + 1 :]]


def _one(draw: Random, found: list[T]) -> Iterator[T]:
    """One of them, where there is one."""
    if found:
        yield draw.choice(found)


def exchanged(lines: Lines, draw: Random) -> Lines | None:
    """Two lines, one after the other."""
    for at in _one(draw, [each for each in _inside(lines) if _next(lines, each)]):
        after = _end(lines, at)
        last = _end(lines, after)
        return lines[:at] + lines[after:last] + lines[at:after] + lines[last:]
    return None


def left_out(lines: Lines, draw: Random) -> Lines | None:
    """A line with what is in it."""
    for at in _one(draw, _inside(lines)):
        return lines[:at] + lines[_end(lines, at) :]
    return None


def told_twice(lines: Lines, draw: Random) -> Lines | None:
    """A line with what is in it."""
    for at in _one(draw, _inside(lines)):
        return lines[: _end(lines, at)] + lines[at:]
    return None


def number(lines: Lines, draw: Random) -> Lines | None:
    """One more or one less."""
    for at, found in _one(draw, _found(lines, r"(?<![\w.])\d+(?![\w.])")):
        made = int(found[0]) + draw.choice((-1, 1))
        return _put(lines, at, found, str(made)) if made >= 0 else None
    return None


def denied(lines: Lines, draw: Random) -> Lines | None:
    """A condition."""
    for at, found in _one(draw, _ifs(lines)):
        return [*lines[:at], f"{found[1]}if not ({found[2]}):", *lines[at + 1 :]]
    return None


def branches_turned(lines: Lines, draw: Random) -> Lines | None:
    """The condition denied, and both branches exchanged."""
    for at, found in _one(draw, [each for each in _ifs(lines) if _else(lines, each[0])]):
        other = _end(lines, at)
        last = _end(lines, other)
        yes, no = lines[at + 1 : other], lines[other + 1 : last]
        return [*lines[:at], f"{found[1]}if not ({found[2]}):", *no, f"{found[1]}else:", *yes, *lines[last:]]
    return None


def _else(lines: Lines, at: int) -> int | None:
    after = _next(lines, at)
    return after if after is not None and lines[after].strip() == "else:" else None


def wrapped(lines: Lines, draw: Random) -> Lines | None:
    """A line below a condition that always holds."""
    for at in _one(draw, _carried_out(lines)):
        after = _end(lines, _else(lines, at) or at)
        condition = draw.choice(("yes", "1 = 1", "not no", "2 > 1", "yes or no"))
        head = " " * _indent(lines[at]) + f"if {condition}:"
        return [*lines[:at], head, *("  " + each for each in lines[at:after]), *lines[after:]]
    return None


def never_done(lines: Lines, draw: Random) -> Lines | None:
    """A line below a condition that never holds."""
    done = [at for at in _carried_out(lines) if re.match(r"\s*(take|add|set|remove)\b", lines[at])]
    for at in _one(draw, _carried_out(lines)):
        for other in _one(draw, [each for each in done if _end(lines, each) == each + 1]):
            space = " " * _indent(lines[at])
            head = f"{space}if {draw.choice(('no', '1 = 2', 'yes and no'))}:"
            return [*lines[:at], head, f"{space}  {lines[other].strip()}", *lines[at:]]
    return None


def condition_named(lines: Lines, draw: Random) -> Lines | None:
    """A condition gets a name in the line above, or one line earlier."""
    for at, found in _one(draw, _ifs(lines)):
        above = at - 1 if at and at - 1 in _carried_out(lines) and _indent(lines[at - 1]) == len(found[1]) else at
        first = draw.choice((at, above))
        name = f"q{draw.randrange(1000)}"
        head = [f"{found[1]}let {name} = {found[2]}", *lines[first:at], f"{found[1]}if {name}:"]
        return lines[:first] + head + lines[at + 1 :]
    return None


def value_written_out(lines: Lines, draw: Random) -> Lines | None:
    """A `let` is left out, and its value stands where its name stood."""
    for at, found in _one(draw, _found(lines, r"^\s+let (\w+)(?:: [^=]+)? = (.+)$")):
        last = at + 1
        while last < len(lines) and (not lines[last].strip() or _indent(lines[last]) >= _indent(lines[at])):
            last += 1
        name, value = rf"\b{found[1]}\b(?! =)", f"({found[2]})".replace("\\", r"\\")
        below = [re.sub(name, value, each) for each in lines[at + 1 : last]]
        return lines[:at] + below + lines[last:]
    return None


def _compared(lines: Lines) -> list[tuple[int, re.Match[str]]]:
    return [each for each in _found(lines, _COMPARISON) if not lines[each[0]].strip().startswith(("let", "set"))]


def compared_otherwise(lines: Lines, draw: Random) -> Lines | None:
    """The same comparison."""
    for at, found in _one(draw, _compared(lines)):
        first, sign, second = found.groups()
        ways = [f"{second} {_TURNED[sign]} {first}", f"(not ({first} {_DENIED[sign]} {second}))"]
        if second.isdigit() and sign in {">=", "<"} and int(second):
            ways.append(f"{first} {'>' if sign == '>=' else '<='} {int(second) - 1}")
        if second.isdigit() and sign in {">", "<="}:
            ways.append(f"{first} {'>=' if sign == '>' else '<'} {int(second) + 1}")
        return _put(lines, at, found, draw.choice(ways))
    return None


def another_comparison(lines: Lines, draw: Random) -> Lines | None:
    """Another sign."""
    for at, found in _one(draw, _compared(lines)):
        sign = draw.choice([each for each in _TURNED if each != found[2]])
        return _put(lines, at, found, f"{found[1]} {sign} {found[3]}")
    return None


def sides_exchanged(lines: Lines, draw: Random) -> Lines | None:
    """Of an `and` or `or`."""
    plain = re.compile(r"^(\s*)if ([^():]+?) (and|or) ([^():]+):$")
    for at, found in _one(draw, [(at, each) for at, line in enumerate(lines) if (each := plain.match(line))]):
        if re.search(r" (and|or|where) ", f" {found[2]} {found[4]} "):
            return None
        return [*lines[:at], f"{found[1]}if {found[4]} {found[3]} {found[2]}:", *lines[at + 1 :]]
    return None


def guard_moved_in(lines: Lines, draw: Random) -> Lines | None:
    """The `when` of a step becomes an `if` around its lines."""
    guard = re.compile(r'^(  step \S+(?: "[^"]*")?) when (.+):$')
    for at, found in _one(draw, [(at, each) for at, line in enumerate(lines) if (each := guard.match(line))]):
        last = _end(lines, at)
        block = ["  " + each if each.strip() else each for each in lines[at + 1 : last]]
        return [*lines[:at], found[1] + ":", f"    if {found[2]}:", *block, *lines[last:]]
    return None


def up_to(lines: Lines, draw: Random) -> Lines | None:
    """Taken or added up to a bound, or not."""
    for at in _one(draw, [each for each in _carried_out(lines) if re.match(r"\s*(take|add) ", lines[each])]):
        line = lines[at]
        bounded = re.sub(r"^(\s*)(take|add) ", r"\1\2 up to ", line)
        return [*lines[:at], line.replace(" up to ", " ", 1) if " up to " in line else bounded, *lines[at + 1 :]]
    return None


def another_name(lines: Lines, draw: Random) -> Lines | None:
    """One name, or one attribute of a name, where another stood."""
    found = _found(lines, draw.choice((r"\b[a-z_]\w*\.[a-z_]\w*", r"\b[a-z]\b")))
    for at, one in _one(draw, found):
        return _put(lines, at, one, draw.choice(found)[1][0])
    return None


def another_range(lines: Lines, draw: Random) -> Lines | None:
    """One end of a range."""
    spans = [(at, each) for at, line in enumerate(lines) for each in re.finditer(r"\b(\d+)\.\.(\d+)\b", line)]
    for at, found in _one(draw, spans):
        low, high = int(found[1]), int(found[2])
        low, high = draw.choice(((low + 1, high), (low, high + 1), (low, high - 1), (max(0, low - 1), high)))
        return _put(lines, at, found, f"{low}..{high}") if low <= high else None
    return None


def another_start(lines: Lines, draw: Random) -> Lines | None:
    """What an attribute begins at."""
    starts = [(at, found) for at, line in enumerate(lines) if (found := re.search(r"(: (\d+)\.\.\d+ = )(\d+)", line))]
    for at, found in _one(draw, starts):
        return _put(lines, at, found, found[1] + str(int(found[2]) + draw.randrange(4)))
    return None


def option_left_out(lines: Lines, draw: Random) -> Lines | None:
    """What a question or declaration says besides."""
    for at in _one(draw, [at for at, each in enumerate(lines) if _OPTION.search(each)]):
        return [*lines[:at], _OPTION.sub("", lines[at], count=1), *lines[at + 1 :]]
    return None


def another_word(lines: Lines, draw: Random) -> Lines | None:
    """A word of the language for another one."""
    words = [*_WORDS, *((second, first) for first, second in _WORDS if second)]
    ways = [(at, each, new) for old, new in words for at, each in _found(lines, rf"(?<!\w){old}(?!\w)")]
    for at, found, new in _one(draw, ways):
        return _put(lines, at, found, new)
    return None


def put_together(lines: Lines, draw: Random) -> Lines | None:
    """Two lines as one change."""
    done = _carried_out(lines)
    for at in _one(draw, [each for each in done if _next(lines, each) in done]):
        last = _end(lines, _end(lines, at))
        head = " " * _indent(lines[at]) + "together:"
        return [*lines[:at], head, *("  " + each for each in lines[at:last]), *lines[last:]]
    return None


def taken_apart(lines: Lines, draw: Random) -> Lines | None:
    """One change as lines of their own."""
    for at in _one(draw, [at for at, each in enumerate(lines) if each.strip() == "together:"]):
        last = _end(lines, at)
        return lines[:at] + [each[2:] for each in lines[at + 1 : last]] + lines[last:]
    return None


def step_split(lines: Lines, draw: Random) -> Lines | None:
    """A new step begins at a line."""
    done = [at for at in _carried_out(lines) if _indent(lines[at]) == 4 and not lines[at - 1].startswith("  step")]
    for at in _one(draw, done):
        return [*lines[:at], f'  step zz{draw.randrange(100)} "More":', *lines[at:]]
    return None


def carried_into_both(lines: Lines, draw: Random) -> Lines | None:
    """What follows both branches stands at the end of each."""
    done = _carried_out(lines)
    places = [
        (at, other, after) for at, _ in _ifs(lines) if (other := _else(lines, at)) if (after := _next(lines, other))
    ]
    for _, other, after in _one(draw, [each for each in places if each[2] in done]):
        last = _end(lines, after)
        block = ["  " + each for each in lines[after:last]]
        return lines[:other] + block + lines[other:after] + block + lines[last:]
    return None


def renamed_everywhere(lines: Lines, draw: Random) -> Lines | None:
    """A name, at every place."""
    names = [name for line in lines for each in _NAMED for name in each.findall(line) if not name.endswith(RENAMED)]
    for name in _one(draw, names):
        return [re.sub(rf"\b{name}\b", name + RENAMED, each) for each in lines]
    return None


def titled_otherwise(lines: Lines, draw: Random) -> Lines | None:
    """A title, a question or a reason."""
    for at in _one(draw, [at for at, each in enumerate(lines) if '"' in each and at]):
        return [*lines[:at], re.sub(r'"([^"]*)"', r'"\1 indeed"', lines[at], count=1), *lines[at + 1 :]]
    return None


KEEPING: tuple[Edit, ...] = (
    exchanged,
    branches_turned,
    wrapped,
    never_done,
    condition_named,
    compared_otherwise,
    sides_exchanged,
    guard_moved_in,
    renamed_everywhere,
    titled_otherwise,
    value_written_out,
    put_together,
    taken_apart,
    step_split,
    carried_into_both,
)
"""Edits that leave play as it is more often than not."""
CHANGING: tuple[Edit, ...] = (
    exchanged,
    left_out,
    told_twice,
    number,
    number,
    denied,
    another_comparison,
    another_comparison,
    up_to,
    another_name,
    another_range,
    another_start,
    option_left_out,
    another_word,
    another_word,
    condition_named,
    value_written_out,
)
"""Edits that change it more often than not."""
