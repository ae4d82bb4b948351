"""What a run is charged for long functions and long bodies of loops, once the whole source is written.

A loop charges a visit for each of many members and a block one, whatever stands in them. So that no line or visit costs
much more than another, a function of many lines charges them when it is called, and a loop with many lines in it
charges each member so many times more. The lines of short functions that are called count as well, and lines that are
repeated for a few members, which is not charged, as often as that.
"""

import re

from rulewright.machine.generate.loops import FEW
from rulewright.machine.generate.writer import Module
from rulewright.program.walk import inner_first

SHORT = 300
_CALLED = re.compile(r"\b([a-z]\d+)\(")
_VISIT = re.compile(r"( *)(.*visit\(W, (?:len\(\w+\)|1))\)$")


def meter(module: Module) -> None:
    """Puts the charges of long functions and loops into the source."""
    source = module.source
    heads = [at for at, line in enumerate(source) if line.startswith("def ")]
    ends = [*heads[1:], len(source)]
    functions = {source[at][4:].partition("(")[0]: range(at, end) for at, end in zip(heads, ends, strict=False)}
    weights = _weights(source, functions)
    charges = {functions[name].start: weight for name, weight in weights.items() if weight > SHORT}
    written, sites = [], []
    for at, (line, site) in enumerate(zip(source, module.lines, strict=True)):
        written.append(_weighed(source, at, weights) if "visit(W" in line else line)
        sites.append(site)
        if at in charges:
            written.append(f"    visit(W, {charges[at]})")
            sites.append(site)
    module.source[:], module.lines[:] = written, sites


def _weights(source: list[str], functions: dict[str, range]) -> dict[str, int]:
    """What each function weighs: its lines with those of the short functions it calls, callees first."""
    leads = {
        name: [each for at in lines for each in _CALLED.findall(source[at]) if each in functions]
        for name, lines in functions.items()
    }
    weights = dict.fromkeys(functions, SHORT + 1)
    for name in inner_first(leads):
        weights[name] = _weight(source, functions[name], weights)
    return weights


def _weight(source: list[str], lines: range, weights: dict[str, int]) -> int:
    found, repeated = 0, [0]
    for at in lines[1:]:
        text = source[at].lstrip()
        depth = len(source[at]) - len(text)
        while depth < repeated[-1]:
            repeated.pop()
        if text.startswith(("for ", "while ")):
            repeated.append(depth + 1)
        once = 1 + sum(_called(weights, name) for name in _CALLED.findall(text))
        found += once * FEW ** (len(repeated) - 1)
    return min(found, _MOST)


_MOST = 1_000_000


def _called(weights: dict[str, int], name: str) -> int:
    weight = weights.get(name, 0)
    return weight if weight <= SHORT else 1


def _weighed(source: list[str], at: int, weights: dict[str, int]) -> str:
    """A charge for visits, multiplied where much is repeated."""
    found = _VISIT.match(source[at])
    if found is None:
        return source[at]
    depth = len(found[1])
    first = at + 1
    if source[first].lstrip().startswith("for "):
        first, depth = first + 1, depth + 1
    end = first
    while end < len(source) and source[end] and len(source[end]) - len(source[end].lstrip()) >= depth:
        end += 1
    times = _weight(source, range(first - 1, end), weights) // SHORT
    return f"{found[1]}{found[2]} * {times + 1})" if times else source[at]
