"""Amendments: pure changes of syntax trees, by address (manual, Overlays)."""

import dataclasses
from collections.abc import Mapping
from typing import assert_never

from rulewright.analysis.addresses import Edit, Node, Part, bound_name, edited, id_of, name_of, parts
from rulewright.analysis.clauses import clause_id
from rulewright.analysis.overlays.parts import (
    REPLACED,
    appended,
    beside,
    converted,
    fits_beside,
    is_line,
    kept,
    named,
    new_part,
    opened,
    sort_of,
)
from rulewright.analysis.overlays.touches import Hand, Key, Path, Touch, ends, unknown
from rulewright.analysis.report import Report
from rulewright.diagnostics import Label
from rulewright.diagnostics.remedies import Remedy, respelt
from rulewright.frozen import dataclass
from rulewright.program.wording import a
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d, rows as r, statements as s
from rulewright.syntax.nodes.expressions import Name

_AMENDMENTS = (d.Replace, d.ReplaceWhole, d.ReplaceLine, d.Insert, d.InsertLines, d.RemovePart)
Texts = dict[str, tuple[d.Declaration, ...]]


def split(texts: Texts, source: str) -> tuple[d.Amendment, ...]:
    """The amendments of a text, which are taken out of it."""
    found = texts[source]
    texts[source] = tuple(each for each in found if not isinstance(each, _AMENDMENTS))
    return tuple(each for each in found if isinstance(each, _AMENDMENTS))


def refuse(amendments: tuple[d.Amendment, ...], report: Report) -> None:
    """Reports amendments where the file does not begin with `amends` (RW0613)."""
    for each in amendments:
        remedy = 'put this into a file of its own that begins with `amends NAME revision "1"`'
        report.error("RW0613", each.head, "only a file that begins with `amends` can change other rules", help=remedy)


def departures(texts: Texts, source: str, documents: Mapping[str, str]) -> frozenset[str]:
    """The clauses that a text owns up to departing from."""
    return frozenset(
        clause_id(cite, documents)
        for each in texts[source]
        if isinstance(each, d.Account) and each.word == "departs"
        for cite in each.cites
    )


@dataclass(frozen=True, slots=True)
class Amending:
    """Amendments of one text being applied."""

    texts: Texts  # the declarations of each source; changed by `apply`
    read: Texts  # the declarations as the author of the amendments read them, in whose order numbers of addresses count
    names: tuple[str, ...]  # the sources whose declarations can be changed
    overlay: str  # the source of the amendments
    departed: frozenset[str]  # the clauses it departs from
    documents: Mapping[str, str]  # what bare cites of a source mean
    hand: Hand  # what others have changed, and how what is in the way is reported
    report: Report  # where findings go
    # by address the part that each amendment is about, as its author read it; none where there is none
    met: dict[str, Node | None] = dataclasses.field(default_factory=dict)

    def apply(self, amendment: d.Amendment) -> None:
        """Makes one change.

        Reports RW0610 (no such address), RW0611 (exists already), RW0612 (two overlays at one address), RW0615 and
        RW0616 (the wrong sort there).
        """
        match amendment:
            case d.Replace(target=target):
                self._replace(target)
            case d.ReplaceWhole(declaration=declaration):
                self._replace_whole(declaration)
            case d.ReplaceLine():
                self._replace_line(amendment)
            case d.Insert():
                self._insert(amendment)
            case d.InsertLines():
                self._insert_lines(amendment)
            case d.RemovePart(address=address):
                found = self._find(address, "remove")
                if found is not None and self._free(address, found, "remove"):
                    self._edit(found, lambda _: ())
            case _:
                assert_never(amendment)

    def _replace(self, target: d.RowTarget | d.Target) -> None:
        found = self._find(target.address, "replace")
        if found is None:
            return
        part = converted(target, found.node)
        if part is None:
            self._wrong_sort(target.address, found.node, _target_sort(target), target.span)
        elif self._free(target.address, found, "replace"):
            new = self._kept(named(part, target.address), found.node)
            self._edit(found, lambda _: (new,))

    def _replace_whole(self, declaration: Node) -> None:
        name = name_of(declaration)
        assert name is not None
        found = self._find(name, "replace", type(declaration))
        if found is not None and self._free(name, found, "replace"):
            self._edit(found, lambda old: (self._kept(declaration, old),))

    def _replace_line(self, amendment: d.ReplaceLine) -> None:
        found = self._find(amendment.address, "replace")
        if found is None:
            return
        if not is_line(found.node):
            self._wrong_sort(amendment.address, found.node, "line", amendment.span, "replace ")
        elif self._may_stand(amendment.lines, found) and self._free(amendment.address, found, "replace"):
            self._edit(found, lambda old: self._in_place(amendment.lines, old))

    def _in_place(self, lines: tuple[d.Opening, ...], old: Node) -> tuple[Node, ...]:
        """Lines with the margin of the one they replace; one alone has its title and id too."""
        if len(lines) > 1:
            cited = any(each.cites for each in lines)
            return lines if cited else tuple(self._kept(each, old, titled=False) for each in lines)
        new = self._kept(lines[0], old)
        label = getattr(old, "label", None)
        unnamed = isinstance(new, s.Line) and new.label is None and bound_name(new) is None
        return (dataclasses.replace(new, label=label),) if label and unnamed else (new,)

    def _insert(self, amendment: d.Insert) -> None:
        address = amendment.target.address
        if amendment.anchor is None:
            self._append(amendment.target)
            return
        anchor = self._find(amendment.anchor, "beside")
        if anchor is None:
            return
        above = anchor.address.rpartition("/")[0]
        wanted = f"{above}/{address.text}" if above else address.text
        if not fits_beside(amendment.target, anchor.node):
            self._no_room(amendment.anchor, anchor.node, amendment.target)
        elif self._is_new(address, wanted, anchor, anchor.way[:-1]) and self._free(amendment.anchor, anchor, "beside"):
            part = named(new_part(amendment.target, anchor.node), address)
            self._edit(anchor, lambda node: beside(node, (part,), amendment.where))

    def _append(self, target: d.RowTarget | d.Target) -> None:
        if "/" not in target.address.text:
            message = f"`{target.address.text}` does not say where it belongs"
            remedy = "give the whole address, or say `insert after ADDRESS`"
            self.report.error("RW0616", target.address.span, message, help=remedy)
            return
        container = self._find(target.address, "insert", within=True)
        if container is None or not self._is_new(target.address, target.address.text, container, container.way):
            return
        grown = appended(container.node, target)
        if grown is None:
            self._no_room(target.address, container.node, target)
        else:
            self._edit(container, lambda _: (grown,))

    def _insert_lines(self, amendment: d.InsertLines) -> None:
        into = amendment.where == "into"
        deed = "lines" if into else "beside"
        anchor = self._find(amendment.anchor, deed)
        if anchor is None:
            return
        grown = opened(anchor.node, amendment.lines) if into else None
        if grown is None and (into or not fits_beside(None, anchor.node)):
            self._no_lines(amendment, anchor.node)
            return
        if not into and not self._may_stand(amendment.lines, anchor):
            return
        around = self._touch(anchor, anchor.way[:-1], "lines", amendment.anchor)
        if not self._free(amendment.anchor, anchor, deed) or not (into or self.hand.free(around)):
            return
        if into:
            self._edit(anchor, lambda _: (grown,))
        else:
            self._edit(anchor, lambda node: beside(node, amendment.lines, amendment.where))

    def _may_stand(self, lines: tuple[d.Opening, ...], found: "_Found") -> bool:
        """Whether lines may stand where one is; reports opening lines elsewhere than before the steps."""
        whole = found.declaration
        astray = next((each for each in lines if not isinstance(each, s.Line)), None)
        if astray is None or (isinstance(whole, d.Procedure) and any(each is found.node for each in whole.opening)):
            return True
        word = "require" if isinstance(astray, d.Requirement) else type(astray).__name__.lower()
        message = f"`{word}` can only come before the steps of a procedure"
        self.report.error("RW0616", astray.head if isinstance(astray, d.Declared) else astray.span, message)
        return False

    def _find(self, address: Name, deed: str, sort: type | None = None, *, within: bool = False) -> "_Found | None":
        """The part of an address (or with `within` the one it would stand in); reports that there is none."""
        wanted = address.text.rpartition("/")[0] if within else address.text
        meant = self._at(wanted, self.read, sort)
        found = self._again(meant) if meant is not None else None
        self.met.setdefault(wanted, meant.node if meant else None)
        found = found or self._at(wanted, self.texts, sort, own=True)
        if found is None:
            self._missing(address, wanted, deed, meant)
        return found

    def _at(self, wanted: str, texts: Texts, sort: type | None, *, own: bool = False) -> "_Found | None":
        """What has an address in some texts; with `own` only what the amendments brought themselves."""
        root = wanted.partition("/")[0]
        for source, declaration in self._declarations(texts):
            for part in parts(declaration) if id_of(declaration) == root else ():
                fits = part.own and (sort is None or isinstance(part.node, sort))
                if fits and part.address == wanted and (not own or part.node.span.source == self.overlay):
                    return _Found(wanted, part.node, part.around, part.own, source, declaration)
        return None

    def _again(self, meant: "_Found") -> "_Found | None":
        """What was read, where it stands by now; none where it is gone or was replaced."""
        root, node = id_of(meant.declaration), meant.node
        for source, declaration in self._declarations(self.texts):
            if declaration is meant.declaration:
                return meant
            for part in parts(declaration) if id_of(declaration) == root else ():
                if part.own and type(part.node) is type(node) and part.node.span == node.span:
                    return _Found(meant.address, part.node, part.around, part.own, source, declaration)
        return None

    def _missing(self, address: Name, wanted: str, deed: str, meant: "_Found | None") -> None:
        path, keys = (_path(meant.way), _keys(meant.way)) if meant else (ends(wanted), unknown(wanted))
        if wanted != address.text:
            path, keys = (*path, address.text), (*keys, *unknown(address.text)[-1:])
        touches = (Touch(name, path, keys, deed, self.overlay, address.span) for name in self.names)
        if not any(self.hand.rival(touch) for touch in touches):
            end = address.span.end - len(address.text.removeprefix(wanted))
            written = Name(wanted, Span(address.span.source, address.span.start, end))
            self.hand.missing(written, path, [each for _, each in self._declarations(self.texts)])

    def _declarations(self, texts: Texts) -> list[tuple[str, d.Declaration]]:
        return [(name, each) for name in self.names for each in texts[name]]

    def _edit(self, found: "_Found", edit: Edit) -> None:
        """Puts what the edit makes of a part in its place."""
        self.texts[found.source] = tuple(
            part
            for each in self.texts[found.source]
            for part in (edited(each, found.node, edit) if each is found.declaration else (each,))
        )

    def _kept(self, new: Node, old: Node, *, titled: bool = True) -> Node:
        """The new part with the title of the old one, and its cites but for those that the overlay departs from."""
        margin = getattr(old, "cites", ())
        cites = tuple(cite for cite in margin if clause_id(cite, self.documents) not in self.departed)
        return kept(new, old if titled else new, cites)

    def _free(self, address: Name, found: "_Found", deed: str) -> bool:
        return self.hand.free(self._touch(found, found.way, deed, address))

    def _touch(self, found: "_Found", way: tuple[Part, ...], deed: str, address: Name) -> Touch:
        return Touch(found.source, _path(way), _keys(way), deed, self.overlay, address.span)

    def _is_new(self, address: Name, wanted: str, beside: "_Found", around: tuple[Part, ...]) -> bool:
        """Whether nothing has this address yet; reports what has."""
        was, there = self._at(wanted, self.read, None), self._at(wanted, self.texts, None)
        keys = _keys(was.way) if was else (*_keys(around), *unknown(wanted)[-1:])
        touch = Touch(beside.source, (*_path(around), wanted), keys, "insert", self.overlay, address.span)
        if there is None:
            return self.hand.free(touch)
        if not self.hand.rival(touch):
            place = name_of(there.node)
            label = (Label(place.span, "it stands here"),) if place else ()
            message, remedy = f"`{wanted}` exists already", "`replace` it, or choose another id"
            self.report.error("RW0611", address.span, message, secondary=label, help=remedy)
        return False

    def _wrong_sort(self, address: Name, old: Node, sort: str, written: Span, verb: str = "") -> None:
        message = f"`{address.text}` is {a(sort_of(old))}, not {a(sort)}"
        remedy = _replacing(address, old, Span(written.source, written.start, address.span.start), verb)
        self.report.error("RW0615", address.span, message, remedy=remedy)

    def _no_room(self, anchor: Name, node: Node, target: d.RowTarget | d.Target) -> None:
        message, remedy = f"{a(_target_sort(target))} cannot stand beside or in {a(sort_of(node))}", ""
        if isinstance(node, d.Paths | d.PathRow):
            paths = anchor.text.partition("/")[0]
            message = f"of the paths `{paths}` only `cost` rows are changed one by one"
            remedy = f"insert it before or after a `cost` row, or write `replace paths {paths}(…)` with all its rows"
        self.report.error("RW0616", anchor.span, message, help=remedy)

    def _no_lines(self, amendment: d.InsertLines, node: Node) -> None:
        remedy = ""
        if isinstance(node, d.Step) and amendment.where != "into":
            remedy = f"write `insert into {amendment.anchor.text}:`, or insert a step"
        message = f"lines cannot stand {amendment.where} {a(sort_of(node))}"
        self.report.error("RW0616", amendment.anchor.span, message, help=remedy)


@dataclass(frozen=True, slots=True)
class _Found(Part):
    """A part with the text and declaration that it belongs to."""

    source: str
    declaration: d.Declaration


def _path(way: tuple[Part, ...]) -> Path:
    return tuple(each.address for each in way)


def _keys(way: tuple[Part, ...]) -> tuple[Key, ...]:
    return tuple((way[0].address, type(each.node).__name__, each.node.span) for each in way)


def _replacing(address: Name, old: Node, word: Span, verb: str) -> Remedy:
    """How a part is replaced by what can stand there, `word` being what stands before its address, from `verb` on."""
    sort = sort_of(old)
    above = address.text.rpartition("/")[0]
    if sort in REPLACED:
        return Remedy(f"write `replace {sort} {address.text}`", respelt(word, f"{verb}{sort} ").edits)
    if is_line(old):
        return Remedy(f"write `replace line {address.text}:` and the new line below it")
    if isinstance(old, r.Cell):
        return Remedy(f"write `replace row {address.text}: ` and the value")
    if above:
        return Remedy(f"write `{above}` anew, with this {sort} as you want it")
    return Remedy(f"write `replace {sort} {address.text}` with all that belongs to it")


def _target_sort(target: d.RowTarget | d.Target) -> str:
    return "row" if isinstance(target, d.RowTarget) else sort_of(target.part)
