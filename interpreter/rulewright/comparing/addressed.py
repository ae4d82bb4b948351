"""Where scripts and scenarios of an old revision name what their words no longer mean in the new one."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from rulewright.comparing.naming import Correspondence
from rulewright.frozen import dataclass
from rulewright.inputs.addresses import Addresses, request_addresses
from rulewright.inputs.nodes import Items, Key, Node, Scalar
from rulewright.inputs.nodes import Mapping as Entries
from rulewright.program.declarations import Program
from rulewright.scenarios.ruled import named_lines, row_addresses, step_addresses
from rulewright.source import Span

_ASKED = ("asked", "asked_of", "offered", "rejects")
_PATHS = ("path", "passed_over")
_ROWS = ("applied", "not_applied", "counted", "decided")
_VALUES = ("values",)


@dataclass(frozen=True, slots=True)
class Readdressed:
    """A place in a file that names an address.

    Attributes:
        span: the place.
        written: what stands there.
        old: the address that is meant in the old revision.
        new: what it is in the new one; empty where it is gone.
    """

    span: Span
    written: str
    old: str
    new: str


class Readdressing:
    """Finds such places for two revisions."""

    def __init__(self, old: Program, new: Program, same: Correspondence) -> None:
        self._same = same
        self._sides = _Known(old), _Known(new)

    @property
    def is_needed(self) -> bool:
        """Whether any address could read otherwise."""
        old, new = self._sides
        return any(sort.all != new.of(name).all for name, sort in old.sorts.items())

    def script(self, node: Node | None) -> Iterator[Readdressed]:
        """Those of a script: the questions that its answers are for."""
        match node:
            case Items(items):
                for each in items:
                    at = each.get("at") if isinstance(each, Entries) and "answer" in each else None
                    yield from self._named(at, "asked")
            case Entries(entries):
                for key, _ in entries:
                    yield from self._named(key, "asked")

    def expectations(self, expect: Entries) -> Iterator[Readdressed]:
        """Those of what a scenario expects."""
        for sort, keys in {"asked": _ASKED, "path": _PATHS, "rows": _ROWS, "values": _VALUES}.items():
            for key in keys:
                yield from self._expected(expect.get(key), sort)

    def _expected(self, node: Node | None, sort: str) -> Iterator[Readdressed]:
        match node:
            case Items(items):
                for each in items:
                    yield from self._named(each.get("at") if isinstance(each, Entries) else each, sort)
            case Entries(entries):
                for key, _ in entries:
                    yield from self._named(key, sort)
            case _:
                yield from self._named(node, sort)

    def _named(self, node: Node | Key | None, sort: str) -> Iterator[Readdressed]:
        written = node.text if isinstance(node, Key) else node.written if isinstance(node, Scalar) else ""
        old, new = (side.of(sort) for side in self._sides)
        meant = old.resolve(written) if written else None
        if node is None or not isinstance(meant, str):
            return
        now = self._same.addresses.get(meant, "")
        now = now if now in new.all else ""
        if new.resolve(written) != now:
            yield Readdressed(node.span, written, meant, now)

    def is_script(self, node: Node) -> bool:
        """Whether a text can be nothing but a script of the old revision."""
        match node:
            case Items(items):
                return any(isinstance(each, Entries) and "answer" in each for each in items)
            case Entries(entries):
                known = self._sides[0].of("asked")
                return bool(entries) and all(isinstance(known.resolve(key.text), str) for key, _ in entries)
            case _:
                return False


def once(found: Iterable[Readdressed]) -> tuple[Readdressed, ...]:
    """Each place once, in the order of files and places."""
    return tuple(sorted(dict.fromkeys(found), key=lambda each: (each.span.source, each.span.start)))


class _Known:
    """The addresses of one program, by what they are named for."""

    def __init__(self, program: Program) -> None:
        self._program = program

    @cached_property
    def sorts(self) -> Mapping[str, Addresses]:
        """Of questions, steps, rows and lines that work something out."""
        rows = row_addresses(self._program)
        lists = dict.fromkeys(each.rpartition("/")[0] for each in rows)
        return {
            "asked": Addresses(request_addresses(self._program)),
            "path": Addresses(step_addresses(self._program)),
            "rows": Addresses((*rows, *lists)),
            "values": Addresses(tuple(named_lines(self._program))),
        }

    def of(self, sort: str) -> Addresses:
        """Those of one sort."""
        return self.sorts[sort]
