"""A text that is being written, and what stands of it: every declaration as it could be read last."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from rulewright.diagnostics import Diagnostic
from rulewright.editing.places import Alignment, chunks, pairs
from rulewright.inputs.nodes import Node
from rulewright.inputs.yaml_places import read
from rulewright.source import Text
from rulewright.syntax.characters import readable, too_large
from rulewright.syntax.engine import Reading, engine
from rulewright.syntax.parser import parse


class LiveText:
    """One version of a text of rules, with the version before for what cannot be read now.

    Attributes:
        text: as it is written.
        standing: with each declaration that cannot be read as it could be read last, or left out if it never could.
        is_whole: whether nothing had to be left out.
        coloured: by declaration of this version or one before, where its words stand and of which sorts they are.
    """

    def __init__(self, text: Text, before: "LiveText | None" = None) -> None:
        """Reads what differs from the version before."""
        self.text = text
        self.coloured: Mapping[str, tuple[tuple[int, int, str], ...]] = before.coloured if before is not None else {}
        live = chunks(text.content)
        known = before._reads if before is not None else {}  # noqa: SLF001 - of the same class
        self._reads: Mapping[str, bool] = {each: known[each] if each in known else _reads_alone(each) for each in live}
        self._pairs: tuple[tuple[str, str], ...] = tuple(self._stood(live, before._pairs if before is not None else ()))  # noqa: SLF001
        self.standing = Text(text.name, "".join(one for one, _ in self._pairs))
        self.is_whole = all(one or not other.strip() for one, other in self._pairs)

    def _stood(self, live: Sequence[str], before: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        """What stands for each chunk, with the chunk."""
        was = [each for each in before if each[1]]
        known = dict(zip(range(len(was)), was, strict=True))
        at = 0
        for old, new in pairs([each for _, each in was], live):
            stood = known[at][0] if old else ""
            at += 1 if old else 0
            if not new:
                continue
            yield (new if self._reads[new] else _ended(stood)), new

    def is_read_at(self, offset: int) -> bool:
        """Whether the declaration around an offset of what is written can be read."""
        at = 0
        for stood, chunk in self._pairs:
            at += len(chunk)
            if offset < at:
                return stood == chunk
        return True

    @cached_property
    def alignment(self) -> Alignment:
        """From places of what stands to places of what is written."""
        return Alignment(self._pairs)

    @cached_property
    def mistakes(self) -> tuple[Diagnostic, ...]:
        """What is wrong with the writing of declarations that cannot be read; each as `check` tells it."""
        found: list[Diagnostic] = []
        at, above, broken = 0, "", ""
        for stood, chunk in (*self._pairs, ("", "")):
            if chunk.strip() and stood != chunk:
                broken += chunk
            else:
                if broken:
                    alone = Text(self.text.name, "\n" * (at - len(above + broken)) + above + broken)
                    found.extend(parse(alone).diagnostics)
                above, broken = chunk, ""
            at += len(chunk)
        return tuple(found)


def _reads_alone(chunk: str) -> bool:
    return too_large(Text("", chunk)) is None and isinstance(engine().read(readable(chunk)), Reading)


class LiveData:
    """One version of a text of data, with the last that could be read.

    Attributes:
        text: as it is written.
        root: what it says; none where it cannot be read.
        readable: the last version that could be read; this one if none could.
    sort: what it was taken for last, as its reader calls it; empty where that is not told yet.
    """

    def __init__(self, text: Text, before: "LiveData | None" = None) -> None:
        self.text = text
        self.root = read(text).value
        self.sort: str = before.sort if before is not None else ""
        self.readable: Text = text if self.root is not None or before is None else before.readable

    @cached_property
    def said(self) -> Node | None:
        """What the last version that could be read says."""
        return self.root if self.readable is self.text else read(self.readable).value

    @property
    def alignment(self) -> Alignment:
        """From places of what could be read to places of what is written."""
        return Alignment(((self.readable.content, self.text.content),))


def _ended(chunk: str) -> str:
    return chunk if not chunk or chunk.endswith("\n") else f"{chunk}\n"
