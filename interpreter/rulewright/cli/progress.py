"""How far long work has come, on the error stream of a terminal."""

import sys
from time import monotonic
from types import TracebackType
from typing import Self

from rulewright.cli.output import Output

_PATIENCE = 1.0


class Progress:
    """A line that counts, shown when the work takes longer than a second; nothing where no terminal is."""

    def __init__(self, whole: int, out: Output) -> None:
        self._whole = whole
        self._done = 0
        self._shows = out.form == "human" and sys.stderr.isatty()
        self._next = monotonic() + _PATIENCE
        self._shown = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.wipe()

    def step(self) -> None:
        """One more is done."""
        self._done += 1
        self.tell(f"{self._done} of {self._whole}")

    def tell(self, text: str) -> None:
        """How far it is, in words."""
        if self._shows and monotonic() >= self._next:
            self._next = monotonic() + 0.1
            self._shown = True
            sys.stderr.write(f"\r\x1b[K{text} ")
            sys.stderr.flush()

    def wipe(self) -> None:
        """Takes the line away, for something else to be said."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._shown = False
