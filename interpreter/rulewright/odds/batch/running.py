"""Programs of WebAssembly at work, run by the extra `batch`."""

from array import array
from collections.abc import Sequence
from fractions import Fraction
from importlib import import_module
from math import lcm
from typing import Any

from rulewright.drivers.chance import root_of
from rulewright.drivers.session import Begun
from rulewright.machine.snapshot import fresh
from rulewright.machine.world import UNSETTLED
from rulewright.odds.batch.kernel import Written
from rulewright.odds.batch.shapes import UnfitError
from rulewright.odds.batch.writer import WORD

_SIGNED = 1 << 63


class _Loaded:
    """A program that is ready to run."""

    def __init__(self, written: Written) -> None:
        """Compiles it.

        Raises:
            ModuleNotFoundError: the extra `batch` is not installed.
        """
        wasmtime = import_module("wasmtime")
        self._written = written
        self._store = wasmtime.Store(wasmtime.Engine())
        module = wasmtime.Module(self._store.engine, bytes(wasmtime.wat2wasm(written.text)))
        self._exports: Any = wasmtime.Instance(self._store, module, []).exports(self._store)
        self._trap, self._memory = wasmtime.Trap, self._exports["memory"]
        self._put(2 * written.module.words * WORD, written.tables)
        self._lay()

    def _lay(self) -> None:
        """Puts the start of a play where it begins, and where it is copied from; what has to settle does.

        Raises:
            UnfitError: it cannot settle here.
        """
        module = self._written.module
        words = [word for values in module.laid for word in values()]
        self._put(0, (*words, *words))
        if module.settles:
            try:
                self._exports["settle"](self._store)
            except self._trap:
                raise UnfitError(self._written.reasons[self._words(0, 2)[1]]) from None

    def _put(self, start: int, words: Sequence[int]) -> None:
        signed = [each - 2 * _SIGNED if each >= _SIGNED else each for each in words]
        self._memory.write(self._store, array("q", signed).tobytes(), start)

    def _words(self, start: int, many: int) -> Sequence[int]:
        return array("q", self._memory.read(self._store, start, start + many * WORD))


class Kernel(_Loaded):
    """A play that is ready to be played many times."""

    def played(self, seed: int, plays: range) -> tuple[tuple[dict[Any, int], ...], dict[int, str]]:
        """For each measure how often each value came; and plays that were given back, by number, with the reason."""
        root, first, back = root_of(seed), plays.start, {}
        root -= 2 * _SIGNED if root >= _SIGNED else 0
        while first < plays.stop:
            try:
                self._exports["plays"](self._store, root, first, plays.stop)
                break
            except self._trap:
                first, why = self._words(0, 2)
                back[first] = self._written.reasons[why]
                first += 1
        return tuple(self._counted(number) for number in range(len(self._written.types))), back

    def _counted(self, number: int) -> dict[Any, int]:
        """The counts of a measure, which begin anew."""
        written, start = self._written, self._written.counts[number]
        counts = self._words(start, written.sizes[number])
        self._memory.write(self._store, bytes(len(counts) * WORD), start)
        shapes, type_ = written.module.shapes, written.types[number]
        return {shapes.value(each, type_): count for each, count in enumerate(counts) if count}


class Ways(_Loaded):
    """A play of which every way can be gone, from any start of the same shape."""

    def begin(self, begun: Begun) -> None:
        """Takes another start.

        Raises:
            UnfitError: it has a value that cannot be held.
        """
        module, world = self._written.module, fresh(begun.executable, begun.situation, begun.limits)
        if world[UNSETTLED] != module.world[UNSETTLED]:
            raise UnfitError("a start that is not settled")
        module.world, module.arguments = world, begun.arguments
        self._lay()

    def gone(self, most: int) -> tuple[tuple[dict[Any, Fraction], ...], int] | None:
        """For each measure how likely each value is, and how many ways there are.

        None where there are more than so many, or any of them is given back.
        """
        written, (wholes_of, ways_of) = self._written, (self._exports["wholes"], self._exports["ways"])
        try:
            ways = ways_of(self._store, most)
        except self._trap:
            return None
        if not ways:
            return None
        wholes = self._words(written.wholes, wholes_of(self._store))
        every, row = lcm(*wholes), sum(written.sizes)
        rows = self._words(written.counts[0], len(wholes) * row)
        shares = [sum([rows[at + row * each] * (every // of) for each, of in enumerate(wholes)]) for at in range(row)]
        found, first = [], 0
        for size, type_ in zip(written.sizes, written.types, strict=True):
            value = written.module.shapes.value
            likely = enumerate(shares[first : first + size])
            found.append({value(number, type_): Fraction(share, every) for number, share in likely if share})
            first += size
        return tuple(found), ways
