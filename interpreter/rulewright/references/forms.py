"""What may stand at each place of a document, and the walk that finds the names in one."""

from collections.abc import Callable, Iterable, Iterator
from typing import ClassVar

from rulewright.frozen import dataclass
from rulewright.inputs.nodes import Items, Key, Mapping, Node, Scalar
from rulewright.references.index import Role, Target
from rulewright.references.names import Piece

Pieces = tuple[Piece, ...]


class Form:
    """A place of a document: what its text, its keys and its members name. This one names nothing."""

    role: ClassVar[Role | None] = None
    """What names do at this place and below; none where that is said above."""

    def text(self, written: str) -> Pieces:
        """The names in a single value."""
        del written
        return ()

    def key(self, written: str) -> "Keyed":
        """The names in a key, and what may stand under it."""
        del written
        return Keyed((), ANYTHING)

    def item(self, position: int) -> "Form":
        """What a member of a list may be."""
        del position
        return self

    def heads(self, table: Items) -> "tuple[Head, ...]":
        """The columns of a table, of which this list is the rows; none where it is no table."""
        del table
        return ()

    def entered(self, node: Mapping) -> "Form":
        """The form of this very mapping, which may say in one key what others mean."""
        del node
        return self


@dataclass(frozen=True, slots=True)
class Keyed:
    """A key of a mapping: the names in it, what stands under it, and what names do in both; none as around it."""

    pieces: Pieces
    form: Form
    role: Role | None = None


@dataclass(frozen=True, slots=True)
class Head:
    """A column of a table: where it is named, the names in it, what its cells may be, and what names do in both."""

    place: Scalar
    pieces: Pieces
    form: Form
    role: Role


ANYTHING = Form()


@dataclass(frozen=True, slots=True)
class Parsed(Form):
    """Texts with names in them, found by a function; each member of a list, too."""

    found: Callable[[str], Pieces]

    def text(self, written: str) -> Pieces:
        """What the function finds."""
        return self.found(written)


@dataclass(frozen=True, slots=True)
class Keys(Form):
    """A mapping whose keys are looked up by a function; a list of such is the same."""

    keyed: Callable[[str], Keyed]

    def key(self, written: str) -> Keyed:
        """What the function answers."""
        return self.keyed(written)


@dataclass(frozen=True, slots=True)
class Around(Form):
    """What another form is, as far as nothing else is said."""

    form: Form

    def text(self, written: str) -> Pieces:
        """As the form."""
        return self.form.text(written)

    def key(self, written: str) -> Keyed:
        """As the form."""
        return self.form.key(written)

    def item(self, position: int) -> Form:
        """As the form."""
        return self.form.item(position)


def whole(written: str, targets: Iterable[Target | None]) -> Pieces:
    """A name that is all of a text; of several that are called so the first, and it is not sure."""
    found = tuple(dict.fromkeys(filter(None, targets)))
    return (Piece(0, len(written), found[0], sure=len(found) == 1),) if found else ()


def tail(written: str, target: Target | None) -> Pieces:
    """A name behind the prefix of a used ruleset."""
    return () if target is None else (Piece(written.rfind(".") + 1, len(written), target),)


def walk(form: Form, node: Node, role: Role) -> Iterator[tuple[Key | Scalar, Pieces, Role]]:
    """The keys and values of a document with the names in each, and what these do."""
    role = form.role or role
    match node:
        case Mapping():
            entered = form.entered(node)
            for key, each in node:
                keyed = entered.key(key.text)
                yield key, keyed.pieces, keyed.role or role
                yield from walk(keyed.form, each, keyed.role or role)
        case Items(items) if heads := form.heads(node):
            for head in heads:
                yield head.place, head.pieces, head.role
            for row in items[1:]:
                for head, cell in zip(heads, row.items if isinstance(row, Items) else (), strict=False):
                    yield from walk(head.form, cell, head.role)
        case Items(items):
            for position, each in enumerate(items):
                yield from walk(form.item(position), each, role)
        case Scalar():
            yield node, form.text(node.written), role
