"""The module being written, and one function of it."""

import re
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from rulewright.machine.graph import FIRST_SLOT
from rulewright.machine.layout import Layout
from rulewright.machine.source_point import JUDGED, Site
from rulewright.machine.suspension import Framing
from rulewright.machine.world import FlowTable, Places
from rulewright.program import statements as st
from rulewright.program.declarations import Program
from rulewright.program.expressions import Variable
from rulewright.program.types import Type
from rulewright.program.wording import Wording

OPEN_RECORD = "T = W[3]"
"""How a function begins that records anything."""
_RECORD = re.compile(r"\bT\b")


@dataclass
class Module:
    """The source being written, with its tables."""

    program: Program  # what it is written from
    framing: Framing  # which routines may suspend
    layout: Layout  # names of the parts of a state
    places: Places  # their positions in the working memory
    traced: bool  # whether the source records what it does
    wording: Wording  # texts of expressions
    masks: dict[str, int]  # bits of the standing rules and invariants that read a place
    drops_dice: bool  # whether some roll leaves dice aside; else all dice are kept
    decisive: bool = False  # whether that is only what a decisive story tells
    sites: list[Site] = field(default_factory=list)  # places, by number
    constants: list[Any] = field(default_factory=list)  # values of `K0`, `K1` and so on
    source: list[str] = field(default_factory=list)  # finished lines
    lines: list[int] = field(default_factory=list)  # number of the site of every finished line
    functions: dict[str, int] = field(default_factory=dict)  # numbers of functions of the rules that are called
    waiting: list[str] = field(default_factory=list)  # those of them still to be written
    routines: dict[str, int] = field(default_factory=dict)  # numbers of plain routines
    flows: dict[str, int] = field(default_factory=dict)  # numbers of graphs, by key
    tables: list[FlowTable] = field(default_factory=list)  # what the engine knows of each graph, by number
    watches: list[str] = field(default_factory=list)  # events of the watches written, by number
    # numbers of the functions that explain a decision, by its address
    explained: dict[str, int] = field(default_factory=dict)
    lifted: int = 0  # how many pieces of expressions became functions
    # numbers of expressions that somebody listens to, by their identity
    probed: Mapping[int, int] = field(default_factory=dict)

    def site(self, sort: str, node: Any, **more: Any) -> Site:
        """A new place for a line, row or declaration with an address."""
        title = more.pop("title", getattr(node, "title", "") or "")
        address = more.pop("address", getattr(node, "address", getattr(node, "name", "")))
        cites = more.pop("cites", getattr(node, "cites", ()))
        site = Site(len(self.sites), sort, address, cites, title, node, **more)
        self.sites.append(site)
        return site

    def constant(self, value: Any) -> str:
        """The name of a constant with this value."""
        self.constants.append(value)
        return f"K{len(self.constants) - 1}"

    def mask(self, written: frozenset[str]) -> int:
        """Bits of the standing rules and invariants that may be awakened by writing some places."""
        bits = 0
        for each in written:
            bits |= self.masks.get(each, 0)
        return bits

    def finish(self, body: "Body") -> None:
        """Adds a finished function to the source."""
        records = any(_RECORD.search(text) for _, text, _ in body.lines[2:])
        for depth, text, site in body.lines:
            if text == OPEN_RECORD and not records:
                continue
            self.source.append("    " * depth + text)
            self.lines.append(site)
        self.source.append("")
        self.lines.append(0)


class Body:
    """One Python function being written.

    Attributes:
        module: what it belongs to.
        framed: whether names live in the frame `F`.
        names: Python names of the variables that live in Python, by index.
        lines: indentation, text and site of what is written so far.
        site: the place that lines written now belong to.
        reads: temporaries, texts and types of what the expression under way reads, in a traced module.
        calls: whether the expression under way records entries of its own.
        owners: texts of the names and attributes whose own attributes are read, with Python and type.
        shown: variables that stand for the data of a die and not for its place.
        looped: variables of loops inside expressions, which hold nothing where there was no member.
        untold: whether nothing is recorded at present.
        unread: whether of what is recorded only the outcome is, and not what it read.
        opened: whether something is recorded for certain before what is written now, so that it is known which
            routine runs.
        muted: how many targets are being written whose own value is not what is read.
        perhaps: how many conditions the expression under way hangs on, so that it may stay unread.
    """

    def __init__(  # noqa: PLR0913 - what a function is made of
        self, module: Module, head: str, *, framed: bool, names: dict[int, str], site: Site, untold: bool = False
    ) -> None:
        self.module = module
        self.untold = self._untold = untold
        self.unread = False
        self.opened = True
        self.framed = framed
        self.names = names
        self.site = site
        self.lines: list[tuple[int, str, int]] = []
        self.reads: list[tuple[str, str, Type]] = []
        self.owners: dict[str, tuple[str, Type]] = {}
        self._unsure: list[str] = []
        self.calls = False
        self.muted = 0
        self.perhaps = 0
        self.shown: set[int] = set()
        self.looped: set[int] = set()
        self._depth = 0
        self._temporaries = 0
        self.line(head)
        self._depth = 1
        if self.noted:
            self.line(OPEN_RECORD)
        self.begin()

    @property
    def traced(self) -> bool:
        """Whether what is written now records what it reads."""
        return self.module.traced and not self.untold and not self.unread

    @property
    def noted(self) -> bool:
        """Whether what is written now records what comes of it."""
        return self.module.traced and not self.untold

    @property
    def opens(self) -> bool:
        """Whether something is recorded before the function is left in any way."""
        written = [(depth, text) for depth, text, _ in self.lines if text.startswith(("return ", "T.append("))]
        return bool(written) and written[0][0] == 1 and written[0][1].startswith("T")

    def line(self, text: str) -> None:
        """One line of Python at the present indentation."""
        self.lines.append((self._depth, text, self.site.number))

    def kept(self, pool: str) -> str:
        """The kept dice of a pool, in order."""
        return f"{'kept' if self.module.drops_dice else 'dice_of'}(W, {pool})"

    def pend(self, resume: int, data: str, who: str = "p") -> None:
        """Leaves with a request at this site, which is taken up again at a block."""
        self.line(f"W[0].pending = ({self.site.number}, {who}, {data})")
        self.line(f"F[0] = {resume}")
        self.line("return -2")

    def unless_insisted(self, test: str) -> str:
        """When a question is answered by itself: there is one answer alone, and nobody insists on being asked."""
        return f"if {test} and not {self.insisted}:" if self.traced else f"if {test}:"

    @property
    def insisted(self) -> str:
        """Whether somebody insists on being asked here."""
        return f"W[0].limits.insist({self.site.number})"

    @contextmanager
    def indented(self, head: str) -> Iterator[None]:
        """A Python block under a head."""
        self.line(head)
        self._depth += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.line("pass")
        self._depth -= 1

    def deepen(self, levels: int) -> None:
        """Changes the indentation of what follows."""
        self._depth += levels

    @contextmanager
    def at(self, site: Site) -> Iterator[Site]:
        """Lines written inside belong to a place."""
        before, self.site = self.site, site
        yield site
        self.site = before

    def temporary(self) -> str:
        """A fresh Python name."""
        self._temporaries += 1
        return f"t{self._temporaries}"

    def variable(self, variable: Variable) -> str:
        """Where a name of the rules lives."""
        if variable.index in self.names:
            return self.names[variable.index]
        return f"F[{FIRST_SLOT + variable.index}]" if self.framed else f"v{variable.index}"

    def read(self, code: str, text: str, type_: Type) -> str:
        """Code that also keeps the value for the record, in a traced module."""
        if not self.traced or self.muted:
            return code
        name = self._kept()
        self.reads.append((name, text, type_))
        return f"({name} := {code})"

    def _kept(self) -> str:
        """A fresh name for what is read; one that may stay unread holds a mark of that from the start."""
        name = self.temporary()
        if self.perhaps or self._depth > self._start[1]:
            self._unsure.append(name)
        return name

    def owned(self, variable: Variable) -> None:
        """Keeps what a name holds of whose attribute something is read, in a traced module."""
        kept = self.site.sort == "reason" or variable.index not in self.looped
        if self.traced and not self.muted and kept:
            self.owners[variable.name] = (self.variable(variable), variable.type)

    @contextmanager
    def unsure(self) -> Iterator[None]:
        """What is computed inside hangs on a condition."""
        self.perhaps += 1
        yield
        self.perhaps -= 1

    def held(self, code: str, text: str, type_: Type, within: set[int]) -> str:
        """Code that also keeps the thing an attribute holds, of which something is read, in a traced module.

        Of what hangs on a loop (`within`) only reasons keep it, which are judged for one member.
        """
        if not self.traced or self.muted or (self.site.sort != "reason" and within & self.looped):
            return code
        name = self._kept()
        self.owners[text] = (name, type_)
        return f"({name} := {code})"

    def begin(self) -> None:
        """Before whatever one record is about; forgets what was read before."""
        self.reads, self.owners, self.calls, self._unsure = [], {}, False, []
        self._start = (len(self.lines), self._depth)
        self._cleared: set[str] = set()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """What is written inside has records of its own; afterwards the one under way goes on."""
        kept = self.reads, self.owners, self.calls, self._unsure, self._start, self._cleared
        with self.telling(untold=self._untold):
            yield
        self.reads, self.owners, self.calls, self._unsure, self._start, self._cleared = kept

    @contextmanager
    def telling(self, *, untold: bool = False, unread: bool = False) -> Iterator[None]:
        """What is written inside records nothing, or not what it reads, or all."""
        kept = self.untold, self.unread
        self.untold, self.unread = untold, unread
        yield
        self.untold, self.unread = kept

    def _at_start(self, names: list[str], value: str) -> None:
        new = [name for name in dict.fromkeys(names) if name not in self._cleared]
        if new:
            self._cleared.update(new)
            position, depth = self._start
            self.lines.insert(position, (depth, " = ".join([*new, value]), self.site.number))

    def mark(self) -> None:
        """Records that something happens here, and nothing of it."""
        self.opened = self.opened or self._depth == 1
        self.line(f"T.append(({self.site.number}, -1, None, None{', ()' if self.site.sort in JUDGED else ''}))")

    def note(self, site: Site, result: str = "None", extra: str = "None") -> None:
        """Records what is under way, with what it read since `begin`, in a traced module."""
        if not self.noted:
            return
        self.opened = self.opened or self._depth == 1
        if len(self.reads) >= len(site.reads):
            site.reads = [(text, type_) for _, text, type_ in self.reads]
        self._at_start(self._unsure, "U")
        if self.calls:
            self._at_start(["n"], "len(T)")
        start = "n" if self.calls else "-1"
        names = "".join(f", {name}" for name, _, _ in self.reads)
        if site.sort in JUDGED:
            if len(self.owners) >= len(site.owners):
                site.owners = [(text, type_) for text, (_, type_) in self.owners.items()]
            names = f", ({''.join(f'{code}, ' for code, _ in self.owners.values())}){names}"
        self.line(f"T.append(({site.number}, {start}, {result}, {extra}{names}))")

    def forget(self) -> None:
        """Throws away what was recorded since the record had the length `o`, in a traced module."""
        if self.traced:
            self.line("del T[o:]")


class Flow(Protocol):
    """Where a block goes on."""

    sort: str  # of the routine: `procedure`, `handler` or `rule`
    binds: bool  # whether the routine holds rules or watches

    def go(self, body: Body, number: int) -> None:
        """Goes on at a block."""

    def final(self, number: int) -> int:
        """The block itself, or the one that its empty lines lead to."""

    def number(self, block: int) -> int:
        """The number of a block that something outside continues at."""


def at(body: Body, sort: str, line: st.Statement | st.RankKey) -> AbstractContextManager[Site]:
    """A place of its own for what is written about a line."""
    body.begin()
    return body.at(body.module.site(sort, line, line=True, routine=body.site.routine))
