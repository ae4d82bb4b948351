"""From a value as it is written to the smallest edits that make it say something else."""

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from rulewright.frozen import dataclass
from rulewright.inputs.nodes import Items, Json, Key, Mapping, Node, Scalar, child_pointer
from rulewright.inputs.one_line import FLAGS, one_line
from rulewright.scenarios.merging import WIDEST, laid


def same(node: Node, data: Json) -> bool:
    """Whether a value as it is written is this data; `yes` is true, `none` nothing, `7` also the text."""
    match node:
        case Scalar():
            return _same_scalar(node, data)
        case Items(items):
            alike = isinstance(data, list) and len(items) == len(data)
            return alike and all(map(same, items, data))  # type: ignore[arg-type]
        case Mapping(entries):
            alike = isinstance(data, dict) and len(entries) == len(data)
            return alike and all(key.text in data and same(child, data[key.text]) for key, child in entries)  # type: ignore[operator, index, call-overload]


def plain(node: Node) -> Json:
    """A value as data that says the same."""
    match node:
        case Scalar(value=value, written=written):
            return written if isinstance(value, str | Fraction) else value
        case Items(items):
            return [plain(each) for each in items]
        case Mapping(entries):
            return {key.text: plain(child) for key, child in entries}


def _same_scalar(node: Scalar, data: Json) -> bool:
    match data:
        case None:
            return node.value is None or node.written == "none"
        case bool():
            return FLAGS.get(node.written) is data
        case str():
            return node.written == data
        case int() | float():
            known = isinstance(node.value, int | Fraction) and not isinstance(node.value, bool)
            return known and node.value == Fraction(str(data))
        case _:
            return False


class NothingFitsError(Exception):
    """Nothing can be written that the play would meet.

    Attributes:
        because: why, in one clause.
    """

    def __init__(self, because: str) -> None:
        super().__init__(because)
        self.because = because


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """What is written in place of a part of a scenario file.

    Attributes:
        start: offset of the first code point that goes.
        end: offset after the last.
        text: what comes instead.
        owner: JSON pointer of the value that becomes another.
    """

    start: int
    end: int
    text: str
    owner: str


def applied(content: str, edits: Iterable[Edit]) -> str:
    """A text after edits that do not overlap."""
    done, parts = 0, []
    for each in sorted(set(edits)):
        parts += [content[done : each.start], each.text]
        done = each.end
    return "".join([*parts, content[done:]])


_Part = tuple[int, int]


@dataclasses.dataclass(frozen=True)
class Editor:
    """Edits one text; comments, order and quotes of all that stays are kept.

    What an alias or an anchor stands for, and what is laid under a value from elsewhere, is not edited.
    """

    content: str

    def edits(self, key: Key, node: Node, wanted: Json) -> Iterator[Edit]:
        """What makes the value of a key say what is wanted; nothing where it does, or where it cannot be edited."""
        yield from self._value(key, node, wanted, flow=False)

    def _value(self, key: Key | None, node: Node, wanted: Json, *, flow: bool) -> Iterator[Edit]:
        if same(node, wanted) or self.content.startswith("&", node.span.start):
            return
        match node, wanted:
            case Mapping(), dict() if self._is_open(node) and any(each.text in wanted for each in _own(node)):
                yield from self._mapping(node, wanted)
            case Items(), list() if wanted and self._is_open(node):
                yield from self._items(node, wanted)
            case _:
                yield self._whole(key, node, wanted, flow=flow)

    def _mapping(self, node: Mapping, wanted: dict[str, Json]) -> Iterator[Edit]:
        flow, own = self._is_flow(node), _own(node)
        for key, child in node:
            if key.text in wanted:
                yield from self._value(key, child, wanted[key.text], flow=flow)
        parts = [(key.span.start, self._end(child)) for key, child in own.items()]
        gone = [number for number, key in enumerate(own) if key.text not in wanted]
        for first, last in _runs(gone):
            yield self._removal(node, parts, first, last)
        added = {key: value for key, value in wanted.items() if key not in node}
        if added:
            stays = max(number for number in range(len(parts)) if number not in gone)
            yield self._addition(node, parts[0][0], parts[stays][1], added)

    def _addition(self, node: Mapping, first: int, end: int, added: dict[str, Json]) -> Edit:
        """Entries after one that stays, at the margin of the first."""
        if self._is_flow(node):
            text = "".join(f", {one_line(key)}: {one_line(value)}" for key, value in added.items())
            return Edit(end, end, text, node.pointer)
        lines = [line for key, value in added.items() for line in laid(key, value, self._column(first))]
        at = self._line_end(end)
        return Edit(at, at, "".join(f"{self._newline}{line}" for line in lines), node.pointer)

    def _items(self, node: Items, wanted: list[Json]) -> Iterator[Edit]:
        before = _alike(node.items, wanted)
        after = _alike(node.items[before:][::-1], wanted[before:][::-1])
        old, new = node.items[before : len(node.items) - after], wanted[before : len(wanted) - after]
        parts = [(each.span.start, self._end(each)) for each in node.items]
        if len(old) == len(new):
            for item, value in zip(old, new, strict=True):
                yield from self._value(None, item, value, flow=self._is_flow(node))
        elif not new:
            yield self._removal(node, parts, before, before + len(old) - 1)
        else:
            yield self._instead(node, parts, (before, before + len(old)), [one_line(each) for each in new])

    def _instead(self, node: Items, parts: Sequence[_Part], place: tuple[int, int], new: list[str]) -> Edit:
        """Members in place of those between two numbers, of which there may be none."""
        first, end = place
        between = ", " if self._is_flow(node) else f"{self._newline}{' ' * self._column(node.span.start)}- "
        if first < end:
            return Edit(parts[first][0], parts[end - 1][1], between.join(new), node.pointer)
        if not first:
            start = parts[0][0]
            return Edit(start, start, "".join(f"{each}{between}" for each in new), node.pointer)
        at = parts[first - 1][1] if self._is_flow(node) else self._line_end(parts[first - 1][1])
        return Edit(at, at, "".join(f"{between}{each}" for each in new), node.pointer)

    def _removal(self, node: Node, parts: Sequence[_Part], first: int, last: int) -> Edit:
        """Takes out the parts from the first to the last; some others stay."""
        if first == 0:
            return Edit(parts[0][0], parts[last + 1][0], "", node.pointer)
        start, end = parts[first - 1][1], parts[last][1]
        if self._is_flow(node):
            return Edit(start, end, "", node.pointer)
        return Edit(self._line_end(start), self._line_end(end), "", node.pointer)

    def _whole(self, key: Key | None, node: Node, wanted: Json, *, flow: bool) -> Edit:
        """All of a value; behind a key what is too long for a line is written in several."""
        text, end = one_line(wanted), self._end(node)
        if key is None or flow:
            return Edit(node.span.start, end, text, node.pointer)
        margin = self._column(key.span.start)
        lines = list(laid(key.text, wanted, margin)) if margin + len(key.text) + len(text) > WIDEST else []
        behind = f" {text}" if len(lines) < 2 else "".join(f"{self._newline}{line}" for line in lines[1:])  # noqa: PLR2004
        start = self.content.index(":", key.span.end) + 1
        return Edit(start, end, behind, node.pointer)

    def _is_flow(self, node: Node) -> bool:
        return self.content[node.span.start] in "[{"

    def _is_open(self, node: Mapping | Items) -> bool:
        """Whether it has members of its own, not those of an alias."""
        members = [key for key, _ in node] if isinstance(node, Mapping) else node.items
        return bool(members) and members[0].span != node.span

    def _end(self, node: Node) -> int:
        """The offset after the last character of a value."""
        match node:
            case Scalar():
                return node.span.start + len(self.content[node.span.start : node.span.end].rstrip())
            case Mapping() if self._is_open(node) and not self._is_flow(node):
                return max(self._end(child) for child in _own(node).values())
            case Items(items) if self._is_open(node) and not self._is_flow(node):
                return self._end(items[-1])
            case _:
                return node.span.end

    def _column(self, offset: int) -> int:
        return offset - (self.content.rfind("\n", 0, offset) + 1)

    def _line_end(self, offset: int) -> int:
        found = self.content.find(self._newline, offset)
        return len(self.content) if found < 0 else found

    @property
    def _newline(self) -> str:
        return "\r\n" if "\r\n" in self.content else "\n"


def _own(node: Mapping) -> dict[Key, Node]:
    """The entries that are written in the mapping itself, not laid under it from elsewhere."""
    return {key: child for key, child in node if key.pointer == child_pointer(node.pointer, key.text)}


def _alike(items: Sequence[Node], wanted: Sequence[Json]) -> int:
    """How many members at the start are the same."""
    pairs = zip(items, wanted, strict=False)
    return next((number for number, pair in enumerate(pairs) if not same(*pair)), min(len(items), len(wanted)))


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The first and last of numbers that follow each other."""
    for number in numbers:
        if number - 1 not in numbers:
            yield number, next(each for each in range(number, numbers[-1] + 1) if each + 1 not in numbers)
