"""Amendments: pure changes of syntax trees, by address (manual, Overlays)."""

import dataclasses
from collections.abc import Mapping
from typing import Protocol, assert_never

from rulewright.analysis.addresses import Edit, Node, edited, name_of, parts
from rulewright.analysis.clauses import clause_id
from rulewright.analysis.overlays.parts import (
    REPLACED,
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
from rulewright.analysis.overlays.touches import Path, Touch
from rulewright.analysis.report import Report
from rulewright.diagnostics import Label
from rulewright.diagnostics.remedies import Remedy, respelt
from rulewright.frozen import dataclass
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes import statements as s
from rulewright.syntax.nodes.expressions import Cite, Name

_AMENDMENTS = (d.Replace, d.ReplaceWhole, d.Insert, d.InsertLines, d.RemovePart)
Texts = dict[str, tuple[d.Declaration, ...]]


def split(texts: Texts, source: str) -> tuple[d.Amendment, ...]:
    """The amendments of a text, which are taken out of it."""
    found = texts[source]
    texts[source] = tuple(each for each in found if not isinstance(each, _AMENDMENTS))
    return tuple(each for each in found if isinstance(each, _AMENDMENTS))


def refuse(amendments: tuple[d.Amendment, ...], report: Report) -> None:
    """Reports amendments where the file does not begin with `amends` (RW0613)."""
    for each in amendments:
        report.error(
            "RW0613",
            each.head,
            "only a file that begins with `amends` can change other rules",
            help='put this into a file of its own that begins with `amends NAME revision "1"`',
        )


def departures(texts: Texts, source: str, documents: Mapping[str, str]) -> frozenset[str]:
    """The clauses that a text owns up to departing from."""
    return frozenset(
        clause_id(cite, documents)
        for each in texts[source]
        if isinstance(each, d.Account) and each.word == "departs"
        for cite in each.cites
    )


class Hand(Protocol):
    """Who amends, and what others have changed before."""

    def free(self, touch: Touch) -> bool:
        """Whether a change may be made; notes it, or reports what is in the way."""

    def rival(self, touch: Touch) -> bool:
        """Whether somebody else removed or added what is at an address; reports it as a conflict."""

    def missing(self, address: Name, known: list[d.Declaration]) -> None:
        """Reports an address that nothing has."""


@dataclass(frozen=True, slots=True)
class Amending:
    """Amendments of one text being applied.

    Attributes:
        texts: the declarations of each source; changed by `apply`.
        names: the sources whose declarations can be changed.
        overlay: the source of the amendments.
        departed: the clauses it departs from.
        documents: what bare cites of a source mean.
        hand: what others have changed, and how what is in the way is reported.
        report: where findings go.
    """

    texts: Texts
    names: tuple[str, ...]
    overlay: str
    departed: frozenset[str]
    documents: Mapping[str, str]
    hand: Hand
    report: Report

    def apply(self, amendment: d.Amendment) -> None:
        """Makes one change.

        Reports RW0610 (no such address), RW0611 (exists already), RW0612 (two overlays at one address), RW0615 and
        RW0616 (the wrong sort there).
        """
        self._change(amendment)

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
                found = self._find(address, "remove")
                if found is not None and self._free(address, found, "remove"):
                    self._edit(_path(address), found.node, lambda _: ())
            case _:
                assert_never(amendment)

    def _replace(self, target: d.RowTarget | d.Target) -> None:
        found = self._find(target.address, "replace")
        if found is None:
            return
        old = found.node
        part = converted(target, old)
        if part is None:
            self._wrong_sort(target.address, old, target)
        elif self._free(target.address, found, "replace"):
            new = self._cited(named(part, target.address), old)
            self._edit(_path(target.address), old, lambda _: (new,))

    def _replace_whole(self, declaration: Node) -> None:
        name = name_of(declaration)
        assert name is not None
        found = self._find(name, "replace", type(declaration))
        if found is not None and self._free(name, found, "replace"):
            self._edit((name.text,), found.node, lambda _: (self._cited(declaration, found.node),))

    def _insert(self, amendment: d.Insert) -> None:
        address = amendment.target.address
        if amendment.anchor is None:
            self._append(amendment.target)
            return
        anchor = self._find(amendment.anchor, "beside")
        if anchor is None:
            return
        path = (*_path(amendment.anchor)[:-1], *_path(address))
        if not fits_beside(amendment.target, anchor.node):
            self._no_room(amendment.anchor, anchor.node, amendment.target)
        elif self._is_new(address, path, anchor) and self._free(amendment.anchor, anchor, "beside"):
            part = named(new_part(amendment.target, anchor.node), address)
            self._edit(_path(amendment.anchor), anchor.node, lambda node: beside(node, (part,), amendment.where))

    def _append(self, target: d.RowTarget | d.Target) -> None:
        path = _path(target.address)
        container = self._find(target.address, "insert", within=True) if len(path) > 1 else None
        if container is None:
            if len(path) == 1:
                self._nowhere(target.address)
            return
        if not self._is_new(target.address, path, container):
            return
        grown = appended(container.node, target)
        if grown is None:
            self._no_room(target.address, container.node, target)
        else:
            self._edit(path[:-1], container.node, lambda _: (grown,))

    def _insert_lines(self, amendment: d.InsertLines) -> None:
        into = amendment.where == "into"
        deed = "lines" if into else "beside"
        anchor = self._find(amendment.anchor, deed)
        if anchor is None:
            return
        path = _path(amendment.anchor)
        grown = opened(anchor.node, amendment.lines) if into else None
        if grown is None and (into or not fits_beside(None, anchor.node)):
            self._no_lines(amendment, anchor.node)
            return
        around = Touch(anchor.source, path[:-1], "lines", self.overlay, amendment.anchor.span)
        if not self._free(amendment.anchor, anchor, deed) or not (into or self.hand.free(around)):
            return
        if into:
            self._edit(path, anchor.node, lambda _: (grown,))
        else:
            self._edit(path, anchor.node, lambda node: beside(node, amendment.lines, amendment.where))

    def _find(self, address: Name, deed: str, sort: type | None = None, *, within: bool = False) -> "_Found | None":
        """The part of an address (or with `within` the one it would stand in); reports that there is none."""
        path = _path(address)[:-1] if within else _path(address)
        wanted = "/".join(path)
        for source, declaration in self._declarations():
            for found, node in parts(declaration):
                if found == wanted and (sort is None or isinstance(node, sort)):
                    return _Found(source, node)
        touches = (Touch(name, _path(address), deed, self.overlay, address.span) for name in self.names)
        if not any(self.hand.rival(touch) for touch in touches):
            end = address.span.end - len(address.text.removeprefix(wanted))
            written = Name(wanted, Span(address.span.source, address.span.start, end))
            self.hand.missing(written, [each for _, each in self._declarations()])
        return None

    def _declarations(self) -> list[tuple[str, d.Declaration]]:
        return [(name, each) for name in self.names for each in self.texts[name]]

    def _edit(self, path: Path, old: Node, edit: Edit) -> None:
        """Puts what the edit makes of one part in its place."""
        for name in self.names:
            self.texts[name] = tuple(
                part
                for each in self.texts[name]
                for part in edited(each, path, lambda node: edit(node) if node is old else (node,))
            )

    def _cited(self, new: Node, old: Node) -> Node:
        """The new part with the cites of the old one, unless it has its own or the overlay departs from them."""
        if new.cites or not old.cites:
            return new
        return dataclasses.replace(new, cites=tuple(cite for cite in old.cites if not self._departs(cite)))

    def _departs(self, cite: Cite) -> bool:
        return clause_id(cite, self.documents) in self.departed

    def _free(self, address: Name, found: "_Found", deed: str) -> bool:
        return self.hand.free(Touch(found.source, _path(address), deed, self.overlay, address.span))

    def _is_new(self, address: Name, path: Path, beside: "_Found") -> bool:
        """Whether nothing has this address yet; reports what has."""
        wanted = "/".join(path)
        touch = Touch(beside.source, path, "insert", self.overlay, address.span)
        for _, declaration in self._declarations():
            for found, node in parts(declaration):
                if found == wanted:
                    if not self.hand.rival(touch):
                        self._exists(address, wanted, node)
                    return False
        return self.hand.free(touch)

    def _exists(self, address: Name, wanted: str, node: Node) -> None:
        place = name_of(node)
        there = (Label(place.span, "it stands here"),) if place else ()
        message = f"`{wanted}` exists already"
        self.report.error("RW0611", address.span, message, secondary=there, help="`replace` it, or choose another id")

    def _nowhere(self, address: Name) -> None:
        message = f"`{address.text}` does not say where it belongs"
        self.report.error("RW0616", address.span, message, help="give the whole address, or say `insert after ADDRESS`")

    def _wrong_sort(self, address: Name, old: Node, target: d.RowTarget | d.Target) -> None:
        message = f"`{address.text}` is {a(sort_of(old))}, not {a(_target_sort(target))}"
        remedy = _replacing(address, old, Span(target.span.source, target.span.start, address.span.start))
        self.report.error("RW0615", address.span, message, help=remedy.help, edits=remedy.edits)

    def _no_room(self, anchor: Name, node: Node, target: d.RowTarget | d.Target) -> None:
        message = f"{a(_target_sort(target))} cannot stand beside or in {a(sort_of(node))}"
        self.report.error("RW0616", anchor.span, message)

    def _no_lines(self, amendment: d.InsertLines, node: Node) -> None:
        remedy = ""
        if isinstance(node, d.Step) and amendment.where != "into":
            remedy = f"write `insert into {amendment.anchor.text}:`, or insert a step"
        message = f"lines cannot stand {amendment.where} {a(sort_of(node))}"
        self.report.error("RW0616", amendment.anchor.span, message, help=remedy)


@dataclass(frozen=True, slots=True)
class _Found:
    """A part of a text."""

    source: str
    node: Node


def _replacing(address: Name, old: Node, word: Span) -> Remedy:
    """How a part is replaced by what can stand there, `word` being what stands before its address."""
    sort = sort_of(old)
    above = address.text.rpartition("/")[0]
    if sort in REPLACED:
        return Remedy(f"write `replace {sort} {address.text}`", respelt(word, f"{sort} ").edits)
    if isinstance(old, s.Line):
        return Remedy(f"put the new line there with `insert before {address.text}:`, then `remove {address.text}`")
    if above:
        return Remedy(f"write `{above}` anew, with this {sort} as it is to be")
    return Remedy(f"write `replace {sort} {address.text}` with all that belongs to it")


def _path(address: Name) -> Path:
    return tuple(address.text.split("/"))


def _target_sort(target: d.RowTarget | d.Target) -> str:
    return "row" if isinstance(target, d.RowTarget) else sort_of(target.part)
