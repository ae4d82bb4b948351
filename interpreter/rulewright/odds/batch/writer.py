"""WebAssembly as text: functions with their names, the memory they share, and the places where a play is given back."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from rulewright.machine.executable import Executable
from rulewright.machine.values import Value
from rulewright.machine.world import World
from rulewright.odds.batch.library import LIBRARY, LONG, NEEDS
from rulewright.odds.batch.shapes import NONE, Shapes, UnfitError
from rulewright.program.declarations import Program
from rulewright.program.expressions import Expression, Variable
from rulewright.program.statements import Block

WORD = 8
"""Bytes of a number in memory."""
_MOST_ALONE = 8
"""So many words are copied one by one."""


@dataclass(frozen=True)
class Writers:
    """What writes the parts of code: handed to whatever holds parts, for a part may hold any other."""

    value: Callable[["Body", Expression], str]
    test: Callable[["Body", Expression], str]
    block: Callable[["Body", Block | None], None]


@dataclass
class Module:
    """What is written of a play: functions by name, the memory laid out, why plays are given back."""

    executable: Executable
    shapes: Shapes
    world: World  # how the play begins
    arguments: tuple[Value, ...]  # who plays which role, and what else is given
    policy: str  # who decides: `first`, `random` or nobody
    writers: Writers
    every_way: bool = False  # whether chance goes every way, not one that is drawn
    functions: dict[str, str] = field(default_factory=dict)
    waiting: list[Callable[[], None]] = field(default_factory=list)
    words: int = 0  # how many words of memory each play begins with
    laid: list[Callable[[], list[int]]] = field(default_factory=list)  # what gives them, in order
    known: dict[object, tuple[int, int]] = field(default_factory=dict)  # where in it things lie, and how many words
    written: set[object] = field(default_factory=set)  # what a play may write of it
    tables: dict[object, tuple[int, ...]] = field(default_factory=dict)  # what is looked up, by what it is
    reasons: dict[str, int] = field(default_factory=dict)  # why plays are given back
    settles: str = ""  # the function that settles a start once for all plays, where there is one
    globals: dict[str, str] = field(default_factory=dict)  # what counts from 0 in each play, by what it counts
    unheld: set[tuple[str, int]] = field(default_factory=set)  # names that hold what cannot be held: routine, index

    @property
    def program(self) -> Program:
        """What is played."""
        return self.executable.program

    def place(self, what: object, values: Callable[[], list[int]], *, written: bool = False) -> int:
        """Where the words of something begin in memory, in bytes; `values` gives them, of another start too."""
        if what not in self.known:
            many = len(values())
            self.known[what] = self.words * WORD, many
            self.words += many
            self.laid.append(values)
            if written:
                self.written.add(what)
        return self.known[what][0]

    def copied(self, *, back: bool = False) -> str:
        """Code that copies all that a play may write from the copy of its start, or back there."""
        found, behind = [], self.words * WORD
        for what, (start, many) in self.known.items():
            if what not in self.written:
                continue
            to, from_ = (start + behind, start) if back else (start, start + behind)
            if many > _MOST_ALONE:
                places = f"(i32.const {to}) (i32.const {from_}) (i32.const {many * WORD})"
                found.append(f"(memory.copy {places})")
            else:
                found += [
                    f"(i64.store (i32.const {to + each}) (i64.load (i32.const {from_ + each})))"
                    for each in range(0, many * WORD, WORD)
                ]
        return "\n".join(found)

    def table(self, what: object, values: Callable[[], list[int]]) -> str:
        """Code for where a table begins that no play changes."""
        if what not in self.tables:
            self.tables[what] = tuple(values())
        number = list(self.tables).index(what)
        return f"(global.get $table{number})"

    def reason(self, text: str) -> int:
        """The number of a reason to give a play back."""
        return self.reasons.setdefault(text, len(self.reasons))

    def counter(self, what: str) -> str:
        """The name of what counts something, from 0 in each play."""
        return self.globals.setdefault(what, f"$g{len(self.globals)}")

    def function(self, name: str, write: Callable[[str], None]) -> str:
        """The name of a function, which is written later where this is its first call."""
        if name not in self.functions:
            self.functions[name] = ""
            self.waiting.append(lambda: write(name))
        return f"$f{list(self.functions).index(name)}"

    def library(self, name: str) -> str:
        """The name of a function of the library."""
        key = f"library {name}"
        if key not in self.functions:
            self.functions[key] = LIBRARY[name].format(none=NONE, long=self.reason(LONG))
            for each in NEEDS.get(name, ()):
                self.library(each)
        return f"${name}"

    def finish(self) -> None:
        """Writes the functions that were called, and those they call."""
        while self.waiting:
            self.waiting.pop()()


@dataclass
class Body:
    """A function while it is written."""

    module: Module
    address: str  # of what it is written for
    lines: list[str] = field(default_factory=list)
    names: dict[str, None] = field(default_factory=dict)  # of its own
    kept: dict[int, int] = field(default_factory=dict)  # variables that lie in memory, by index
    known: dict[int, str] = field(default_factory=dict)  # what variables hold in every play, by index
    # pools that are gone through once, by index: names of how many dice, and of the number whose digits they show
    digits: dict[int, tuple[str, str, list[int]]] = field(default_factory=dict)
    faces: set[int] = field(default_factory=set)  # variables that hold what a die shows, not where it lies
    labels: int = 0
    loops: list[str] = field(default_factory=list)  # labels behind the loops that are open
    ends: str = "$end"  # label behind the routine
    steps: dict[str, tuple[str, int]] = field(default_factory=dict)  # by step the label behind which it begins
    jumps: dict[str, str] = field(default_factory=dict)  # names of how often lines have jumped, by address
    step: int = 0  # number of the step that is written

    def line(self, code: str) -> None:
        """Adds code that leaves nothing."""
        self.lines.append(code)

    @contextmanager
    def inside(self, head: str) -> Iterator[None]:
        """Lines inside a block, a loop or a branch."""
        self.lines.append(f"({head}")
        yield
        self.lines.append(")")

    @contextmanager
    def until(self, test: str) -> Iterator[None]:
        """Lines that are gone through again and again, until a test holds before them."""
        over, around = self.label(), self.label()
        with self.inside(f"block {over}"), self.inside(f"loop {around}"):
            self.line(f"(br_if {over} {test})")
            yield
            self.line(f"(br {around})")

    @contextmanager
    def aside(self) -> Iterator[list[str]]:
        """Lines that are taken out again."""
        before, self.lines = self.lines, []
        found = self.lines
        try:
            yield found
        finally:
            self.lines = before

    def value(self, node: Expression) -> str:
        """Code for the number that an expression comes to.

        Raises:
            UnfitError: it holds something that the batch path cannot.
        """
        return self.module.writers.value(self, node)

    def test(self, node: Expression) -> str:
        """Code for whether a condition holds."""
        return self.module.writers.test(self, node)

    def valued(self, node: Expression) -> str:
        """The value of an expression that may not be reached, with the lines that it needs."""
        with self.aside() as lines:
            code = self.value(node)
        return "\n".join((*lines, code))

    def tested(self, node: Expression) -> str:
        """Whether a condition that may not be reached holds, with the lines that it needs."""
        with self.aside() as lines:
            code = self.test(node)
        return "\n".join((*lines, code))

    def block(self, block: Block | None) -> None:
        """The lines of a block; one that cannot be written gives the play back."""
        self.module.writers.block(self, block)

    def label(self) -> str:
        """A label of its own."""
        self.labels += 1
        return f"$l{self.labels}"

    def temporary(self, code: str | None = None) -> str:
        """A name of its own, set to a number; reads as `(local.get …)`."""
        name = f"$t{len(self.names)}"
        self.names[name] = None
        if code is not None:
            self.line(f"(local.set {name} {code})")
        return name

    def get(self, variable: Variable) -> str:
        """Code for what a variable holds."""
        if (self.address, variable.index) in self.module.unheld:
            raise UnfitError(f"`{variable.name}` holds what the batch path cannot")
        if variable.index in self.known:
            return self.known[variable.index]
        if variable.index in self.kept:
            return f"(i64.load (i32.const {self.kept[variable.index]}))"
        self.names.setdefault(f"$v{variable.index}")
        return f"(local.get $v{variable.index})"

    def set(self, variable: Variable, code: str) -> None:
        """Sets a variable.

        Raises:
            UnfitError: a watch may read it, and it would outlive what it holds.
        """
        if variable.index in self.kept:
            if self.module.shapes.is_reference(variable.type):
                raise UnfitError(f"`{variable.name}`, which a watch reads")
            self.line(f"(i64.store (i32.const {self.kept[variable.index]}) {code})")
            return
        self.names.setdefault(f"$v{variable.index}")
        self.line(f"(local.set $v{variable.index} {code})")

    def given_back(self, why: str) -> str:
        """Code that gives the play back; nothing comes after it."""
        return f"(call $away (i32.const {self.module.reason(why)})) (unreachable)"

    def unless(self, test: str, why: str) -> None:
        """Gives the play back where a test fails."""
        self.line(f"(if (i32.eqz {test}) (then {self.given_back(why)}))")

    @contextmanager
    def attempted(self, why: str) -> Iterator[None]:
        """Lines in whose place the play is given back where they cannot be written."""
        before, loops, ends = len(self.lines), list(self.loops), self.ends
        outer = self.lines
        try:
            yield
        except UnfitError as unfit:
            self.lines, self.loops, self.ends = outer, loops, ends
            del self.lines[before:]
            self.line(self.given_back(f"{why}: {unfit}"))

    def written(self, name: str, parameters: tuple[str, ...], result: str = "(result i64)") -> None:
        """Ends the function: its text is kept under a name."""
        number = list(self.module.functions).index(name)
        given = " ".join(f"(param {each} i64)" for each in parameters)
        own = " ".join(f"(local {each} i64)" for each in self.names if each not in parameters)
        inside = "\n".join(self.lines)
        self.module.functions[name] = f"(func $f{number} {given} {result} {own}\n{inside})"


def constant(number: int) -> str:
    """Code for a number."""
    return f"(i64.const {number})"


def is_constant(code: str) -> bool:
    """Whether code is a number."""
    return code.startswith("(i64.const ")


def held(name: str) -> str:
    """Code for what a name of the function holds."""
    return f"(local.get {name})"


def flag(test: str) -> str:
    """Code for a flag that a test gives."""
    return f"(i64.extend_i32_u {test})"
