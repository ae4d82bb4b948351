"""Overlays: pure changes of syntax trees, by address (manual, Overlays)."""

import dataclasses
from collections.abc import Mapping
from typing import assert_never

from rulewright.analysis.addresses import Edit, Node, edited, name_of, parts
from rulewright.analysis.clauses.cites import clause_id
from rulewright.analysis.overlays.parts import (
    a,
    appended,
    beside,
    converted,
    fits_beside,
    named,
    new_part,
    opened,
    sort_of,
)
from rulewright.analysis.overlays.search import missing
from rulewright.analysis.report import Report
from rulewright.diagnostics import Label
from rulewright.frozen import dataclass
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes.names import Cite, Name

Path = tuple[str, ...]
_AMENDMENTS = (d.Replace, d.ReplaceWhole, d.Insert, d.InsertLines, d.RemovePart)


@dataclass(frozen=True, slots=True)
class Amended:
    """What overlays work on.

    Attributes:
        texts: the declarations of each source; changed by `amend`.
        uses: the sources that each source uses.
        documents: what bare cites of a source mean.
        report: where findings go.
    """

    texts: dict[str, tuple[d.Declaration, ...]]
    uses: Mapping[str, frozenset[str]]
    documents: Mapping[str, str]
    report: Report


def amend(files: tuple[str, ...], overlays: tuple[str, ...], amended: Amended) -> None:
    """Applies the overlays of one module in order; afterwards no text holds an amendment.

    Reports RW0610 (no such address), RW0611 (exists already), RW0612 (two overlays at one address), RW0613 (an
    amendment in a file that is no overlay), RW0615 and RW0616 (the wrong sort there).
    """
    for name in files:
        _refuse(name, amended)
    work = _Work(amended)
    for place, name in enumerate(overlays):
        work.apply(name, (*files, *overlays[: place + 1]))


def _refuse(name: str, amended: Amended) -> None:
    """Reports amendments where the file does not begin with `amends`."""
    for each in amended.texts[name]:
        if isinstance(each, _AMENDMENTS):
            amended.report.error(
                "RW0613",
                each.head,
                "only a file that begins with `amends` can change other rules",
                help='put this into a file of its own that begins with `amends NAME revision "1"`',
            )
    amended.texts[name] = tuple(each for each in amended.texts[name] if not isinstance(each, _AMENDMENTS))


@dataclass(frozen=True, slots=True)
class _Touch:
    """An address that an overlay changed, or below which it added something."""

    path: Path
    overlay: str
    span: Span
    added: bool

    def meets(self, other: "_Touch") -> bool:
        """Whether both cannot be meant at once."""
        shorter, longer = sorted((self, other), key=lambda touch: len(touch.path))
        if self.added and other.added:
            return False
        if longer.path[: len(shorter.path)] != shorter.path:
            return False
        return not shorter.added or len(shorter.path) == len(longer.path)


@dataclasses.dataclass(slots=True)
class _Work:
    """Overlays being applied to one module."""

    amended: Amended
    touched: list[_Touch] = dataclasses.field(default_factory=list)
    names: tuple[str, ...] = ()
    overlay: str = ""
    departed: frozenset[str] = frozenset()

    def apply(self, overlay: str, names: tuple[str, ...]) -> None:
        """One overlay; names are the sources it can see, itself last."""
        self.overlay, self.names = overlay, names
        found = self.amended.texts[overlay]
        self.departed = frozenset(
            clause_id(cite, self.amended.documents)
            for each in found
            if isinstance(each, d.Account) and each.word == "departs"
            for cite in each.cites
        )
        self.amended.texts[overlay] = tuple(each for each in found if not isinstance(each, _AMENDMENTS))
        for each in found:
            if isinstance(each, _AMENDMENTS):
                self._change(each)

    def _change(self, amendment: d.Amendment) -> None:
        match amendment:
            case d.Replace(target=target):
                self._replace(target)
            case d.ReplaceWhole(declaration=declaration):
                self._replace_whole(declaration)
            case d.Insert():
                self._insert(amendment)
            case d.InsertLines():
                self._insert_lines(amendment)
            case d.RemovePart(address=address):
                old = self._find(address)
                if old is not None and self._touch(address):
                    self._edit(_path(address), old, lambda _: ())
            case _:
                assert_never(amendment)

    def _replace(self, target: d.RowTarget | d.Target) -> None:
        old = self._find(target.address)
        if old is None:
            return
        part = converted(target, old)
        if part is None:
            self._wrong_sort(target.address, old, target)
        elif self._touch(target.address):
            new = self._cited(named(part, target.address), old)
            self._edit(_path(target.address), old, lambda _: (new,))

    def _replace_whole(self, declaration: Node) -> None:
        name = name_of(declaration)
        assert name is not None
        old = self._find(name, type(declaration))
        if old is not None and self._touch(name):
            self._edit((name.text,), old, lambda _: (self._cited(declaration, old),))

    def _insert(self, amendment: d.Insert) -> None:
        address = amendment.target.address
        if amendment.anchor is None:
            self._append(amendment.target)
            return
        anchor = self._find(amendment.anchor)
        if anchor is None:
            return
        container = _path(amendment.anchor)[:-1]
        if not fits_beside(amendment.target, anchor):
            self._no_room(amendment.anchor, anchor, amendment.target)
        elif self._is_new(address, (*container, *_path(address))):
            part = named(new_part(amendment.target, anchor), address)
            self._edit(_path(amendment.anchor), anchor, lambda node: beside(node, (part,), amendment.where))

    def _append(self, target: d.RowTarget | d.Target) -> None:
        path = _path(target.address)
        container = self._find(target.address, within=True) if len(path) > 1 else None
        if container is None:
            if len(path) == 1:
                self._nowhere(target.address)
            return
        if not self._is_new(target.address, path):
            return
        grown = appended(container, target)
        if grown is None:
            self._no_room(target.address, container, target)
        else:
            self._edit(path[:-1], container, lambda _: (grown,))

    def _insert_lines(self, amendment: d.InsertLines) -> None:
        anchor = self._find(amendment.anchor)
        if anchor is None:
            return
        path = _path(amendment.anchor)
        if amendment.where == "into":
            grown = opened(anchor, amendment.lines)
        else:
            grown = None if _is_no_line(anchor) else anchor
        if grown is None:
            self._no_lines(amendment, anchor)
            return
        below = path if amendment.where == "into" else path[:-1]
        if not self._free(_Touch((*below, "*"), self.overlay, amendment.anchor.span, added=True)):
            return
        if amendment.where == "into":
            self._edit(path, anchor, lambda _: (grown,))
        else:
            self._edit(path, anchor, lambda node: beside(node, amendment.lines, amendment.where))

    def _find(self, address: Name, sort: type | None = None, *, within: bool = False) -> Node | None:
        """The part of an address (or with `within` the one it would stand in); reports that there is none."""
        wanted = "/".join(_path(address)[:-1]) if within else address.text
        for _, declaration in self._declarations():
            for found, node in parts(declaration):
                if found == wanted and (sort is None or isinstance(node, sort)):
                    return node
        missing(Name(wanted, address.span), [each for _, each in self._declarations()], self.amended.report)
        return None

    def _declarations(self) -> list[tuple[str, d.Declaration]]:
        return [(name, each) for name in self.names for each in self.amended.texts[name]]

    def _edit(self, path: Path, old: Node, edit: Edit) -> None:
        """Puts what the edit makes of one part in its place."""
        for name in self.names:
            self.amended.texts[name] = tuple(
                part
                for each in self.amended.texts[name]
                for part in edited(each, path, lambda node: edit(node) if node is old else (node,))
            )

    def _cited(self, new: Node, old: Node) -> Node:
        """The new part with the cites of the old one, unless it has its own or the overlay departs from them."""
        if new.cites or not old.cites:
            return new
        return dataclasses.replace(new, cites=tuple(cite for cite in old.cites if not self._departs(cite)))

    def _departs(self, cite: Cite) -> bool:
        return clause_id(cite, self.amended.documents) in self.departed

    def _touch(self, address: Name) -> bool:
        return self._free(_Touch(_path(address), self.overlay, address.span, added=False))

    def _is_new(self, address: Name, path: Path) -> bool:
        """Whether nothing has this address yet; reports what has."""
        wanted = "/".join(path)
        for _, declaration in self._declarations():
            for found, node in parts(declaration):
                if found == wanted:
                    self._exists(address, wanted, node)
                    return False
        return self._free(_Touch(path, self.overlay, address.span, added=True))

    def _free(self, touch: _Touch) -> bool:
        """Whether no other overlay has its hand there; reports the one that has."""
        for earlier in self.touched:
            if earlier.overlay != self.overlay and not self._builds_on(earlier.overlay) and earlier.meets(touch):
                shared = earlier.path if len(earlier.path) < len(touch.path) else touch.path
                message = f"two overlays change `{'/'.join(shared).removesuffix('/*')}`"
                self.amended.report.error(
                    "RW0612",
                    touch.span,
                    message,
                    secondary=(Label(earlier.span, "changed here first"),),
                    help=f'take one of them out, or let the second build on the first: `use "{earlier.overlay}"`',
                )
                return False
        self.touched.append(touch)
        return True

    def _builds_on(self, earlier: str) -> bool:
        reached = {self.overlay}
        fresh = [self.overlay]
        for name in fresh:
            fresh.extend(self.amended.uses.get(name, frozenset()) - reached)
            reached.update(fresh)
        return earlier in reached

    def _exists(self, address: Name, wanted: str, node: Node) -> None:
        place = name_of(node)
        there = (Label(place.span, "it stands here"),) if place else ()
        message = f"`{wanted}` exists already"
        self.amended.report.error(
            "RW0611", address.span, message, secondary=there, help="`replace` it, or choose another id"
        )

    def _nowhere(self, address: Name) -> None:
        message = f"`{address.text}` does not say where it belongs"
        self.amended.report.error(
            "RW0616", address.span, message, help="give the whole address, or say `insert after ADDRESS`"
        )

    def _wrong_sort(self, address: Name, old: Node, target: d.RowTarget | d.Target) -> None:
        message = f"`{address.text}` is {a(sort_of(old))}, not {a(_target_sort(target))}"
        self.amended.report.error(
            "RW0615", address.span, message, help=f"write `replace {sort_of(old)} {address.text}`"
        )

    def _no_room(self, anchor: Name, node: Node, target: d.RowTarget | d.Target) -> None:
        message = f"{a(_target_sort(target))} cannot stand beside or in {a(sort_of(node))}"
        self.amended.report.error("RW0616", anchor.span, message)

    def _no_lines(self, amendment: d.InsertLines, node: Node) -> None:
        remedy = ""
        if isinstance(node, d.Step) and amendment.where != "into":
            remedy = f"write `insert into {amendment.anchor.text}:`, or insert a step"
        message = f"lines cannot stand {amendment.where} {a(sort_of(node))}"
        self.amended.report.error("RW0616", amendment.anchor.span, message, help=remedy)


def _is_no_line(node: Node) -> bool:
    return not fits_beside(None, node)


def _path(address: Name) -> Path:
    return tuple(address.text.split("/"))


def _target_sort(target: d.RowTarget | d.Target) -> str:
    return "row" if isinstance(target, d.RowTarget) else sort_of(target.part)
