"""Random texts by a grammar that is itself a text.

A rule begins with `== NAME`; its alternatives follow, parted by lines `--`, or `-- 3` where the next one counts three times.

| in an alternative | stands |
|---|---|
| `<NAME>` | what one alternative of a rule writes; alone on a line, all its lines, as deep as it stands there |
| `<1..3 NAME>`, `<deeper NAME>` | so many of it, alone on a line; one level deeper, which ends at 0 |
| `<2..6>` | a number |
| `<new SORT NAME>`, `<any SORT NAME>` | a new name of a sort, one that is known here; later in the alternative it is `<NAME>` |
| `<hidden SORT NAME>`, `<known SORT NAME>` | a new name that is not known yet; alone on a line, from here on it is |

Names that a line gives are known below it, those given in an indented line to the end of what is indented. An alternative is left
out where a name of a sort has to be known and none is, or where it leads deeper than may be.
"""

import re
from collections.abc import Callable, Mapping
from random import Random

_SLOT = re.compile(r"<([a-z][\w ]*|\d+\.\.\d+[\w ]*)>")
_NEEDED = re.compile(r"<any (\w+)")
Scope = dict[str, list[str]]
Bound = dict[str, object]
Function = Callable[["TextWriter", Bound], str]


def read_grammar(text: str) -> dict[str, list[str]]:
    """The alternatives of each rule, as often as they count."""
    rules: dict[str, list[str]] = {}
    for rule in re.split(r"^== ", text, flags=re.MULTILINE)[1:]:
        name, _, body = rule.partition("\n")
        counts = [1, *(int(each or 1) for each in re.findall(r"^--(?: (\d+))?$", body, re.MULTILINE))]
        texts = re.split(r"^--(?: \d+)?\n", body, flags=re.MULTILINE)
        if body.startswith("--"):
            counts, texts = counts[1:], texts[1:]
        rules[name] = [each.rstrip("\n") for each, count in zip(texts, counts, strict=True) for _ in range(count)]
    return rules


class TextWriter:
    """Writes texts by a grammar; functions write what a grammar cannot say."""

    def __init__(
        self, draw: Random, rules: Mapping[str, list[str]], functions: Mapping[str, Function] | None = None
    ) -> None:
        self.draw = draw
        self.scope: Scope = {}
        self.depth = 0
        self._rules = rules
        self._functions = functions or {}
        self._count = 0

    def write(self, rule: str, depth: int, **known: list[str]) -> str:
        """What a rule writes, where some names are known."""
        self.depth, self.scope = depth, {sort: [*names] for sort, names in known.items()}
        return "\n".join(self._write_lines(rule)) + "\n"

    def write_one(self, rule: str) -> str:
        """What a rule of single lines writes here."""
        (line,) = self._write_lines(rule)
        return line

    def _write_lines(self, rule: str) -> list[str]:
        bound: Bound = {}
        outer, lines = self.scope, list[str]()
        for line in self._choose(rule).split("\n"):
            pad = line[: len(line) - len(line.lstrip())]
            if not pad:
                self.scope = outer
            elif self.scope is outer:
                self.scope = {sort: [*names] for sort, names in outer.items()}
            inner = _SLOT.fullmatch(line.strip())
            said = inner[1].split() if inner else []
            if said and said[0] == "known":
                self.scope.setdefault(said[1], []).append(str(bound[said[2]]))
            elif said and said[-1] in self._rules and said[-1] not in bound:
                lines += [pad + each for each in self._write_inside(said)]
            else:
                lines.append(_SLOT.sub(lambda slot, bound=bound: self._fill(slot[1].split(), bound), line))
        self.scope = outer
        return lines

    def _choose(self, rule: str) -> str:
        offered = [each for each in self._rules[rule] if self._is_possible(each)]
        assert offered, f"no alternative of {rule} is possible here"
        return self.draw.choice(offered)

    def _is_possible(self, text: str, above: frozenset[str] = frozenset()) -> bool:
        """Whether no name is lacking and no depth; what a rule within itself needs is not asked again."""
        given = set(re.findall(r"<(?:new|hidden) (\w+)", text))
        if "<deeper " in text and not self.depth:
            return False
        if not all(self.scope.get(sort) or sort in given for sort in _NEEDED.findall(text)):
            return False
        inner = {slot for slot in _SLOT.findall(text) if slot in self._rules} - above
        return given != set() or all(
            any(self._is_possible(each, above | inner) for each in self._rules[rule]) for rule in inner
        )

    def _write_inside(self, said: list[str]) -> list[str]:
        count = 1
        if ".." in said[0]:
            low, high = said[0].split("..")
            count = self.draw.randint(int(low), int(high))
        is_deeper = "deeper" in said
        self.depth -= is_deeper
        lines = [line for _ in range(count) for line in self._write_lines(said[-1])]
        self.depth += is_deeper
        return lines

    def _fill(self, said: list[str], bound: Bound) -> str:
        match said:
            case [span] if ".." in span:
                low, high = span.split("..")
                return str(self.draw.randint(int(low), int(high)))
            case ["new" | "hidden" as how, sort, name]:
                self._count += 1
                bound[name] = f"{sort}{self._count}"
                if how == "new":
                    self.scope.setdefault(sort, []).append(str(bound[name]))
                return str(bound[name])
            case ["any", sort, *names]:
                found = self.draw.choice(self.scope[sort])
                bound |= dict.fromkeys(names, found)
                return found
            case [name] if name in bound:
                return str(bound[name])
            case [name] if name in self._functions:
                return self._functions[name](self, bound)
            case _:
                return self.write_one(said[-1])
