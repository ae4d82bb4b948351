"""Occurrences in YAML and JSON files: scenarios, states, scripts, likelihoods and clause lists."""

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction

from rulewright.inputs.document_schemas import shapes_of
from rulewright.inputs.names import Sections
from rulewright.inputs.nodes import Items, Key, Mapping, Node, Scalar, below, entries_below, entries_of, value_under
from rulewright.inputs.yaml_places import read
from rulewright.references.answer_forms import ScriptForm
from rulewright.references.forms import Form, Pieces, walk
from rulewright.references.index import Role, Target
from rulewright.references.names import Found, Names, Piece
from rulewright.references.scenario_forms import SuiteForm, Vocabulary
from rulewright.source import Span, Text

_DATA = re.compile(r"\.(?:yaml|yml|json)\Z")


def note_suite(text: Text, vocabulary: Vocabulary, found: Found) -> tuple[str, ...]:
    """Notes the names in a scenario file; answers the files of states that it names."""
    root = read(text).value
    if not isinstance(root, Mapping):
        return ()
    found.texts[text.name] = text
    _walk(SuiteForm(vocabulary, dict(things_in(root, vocabulary.names))), root, Role.FILLED, found)
    return tuple(dict.fromkeys(_states(root)))


def note_data(text: Text, vocabulary: Vocabulary, found: Found) -> None:
    """Notes the names in a file that may be a state or a script of a ruleset; another is left alone.

    Of a ruleset with errors it is not known what a state is, and the words of the file are kept for mentions.
    """
    root = read(text).value
    if not vocabulary.names.programs:
        found.texts[text.name] = text
    if state_share(root, vocabulary.names) == 1:
        note_state(text, vocabulary, found)
    elif script_share(root, vocabulary.names) == 1:
        note_script(text, vocabulary, found)


def note_state(text: Text, vocabulary: Vocabulary, found: Found) -> None:
    """Notes the names in a file that is a state."""
    _note(text, vocabulary.state, Role.FILLED, found)


def note_script(text: Text, vocabulary: Vocabulary, found: Found) -> None:
    """Notes the names in a file that is a script."""
    _note(text, ScriptForm(vocabulary.answers), Role.ANSWERED, found)


def note_likelihoods(text: Text, vocabulary: Vocabulary, found: Found) -> None:
    """Notes the names in a file that says how likely the answers of externals are."""
    _note(text, vocabulary.answers.likelihoods, Role.ANSWERED, found)


def _note(text: Text, form: Form, role: Role, found: Found) -> None:
    root = read(text).value
    if root is not None:
        found.texts[text.name] = text
        _walk(form, root, role, found)


def note_clauses(text: Text, vocabulary: Vocabulary, found: Found) -> None:
    """Notes the clauses of a clause list."""
    root = read(text).value
    clauses = value_under(root, "clauses")
    found.texts[text.name] = text
    for each in clauses.items if isinstance(clauses, Items) else ():
        id_ = value_under(each, "id")
        if isinstance(id_, Scalar) and "." in id_.written:
            number = id_.written.partition(".")[2]
            target = vocabulary.names.clauses.setdefault(id_.written, Target("clause", id_.written, text.name))
            span = _exactly(id_, text)
            if span is not None:
                found.note(Span(text.name, span.end - len(number), span.end), number, target, Role.LISTED)


def _walk(form: Form, root: Node, role: Role, found: Found) -> None:
    for place, pieces, does in walk(form, root, role):
        for at, name, each in _placed(place, pieces, found):
            found.note(at, name, each.target, does, sure=each.sure)


def pieces_in(form: Form, root: Node, found: Found) -> list[tuple[Span, str, Target]]:
    """The names that a form finds in a part of a document, with their places and spellings."""
    return [
        (at, name, each.target)
        for place, pieces, _ in walk(form, root, Role.ANSWERED)
        for at, name, each in _placed(place, pieces, found)
        if each.sure
    ]


def _placed(place: Key | Scalar, pieces: Pieces, found: Found) -> Iterator[tuple[Span, str, Piece]]:
    """The names in a key or value where they stand in its file."""
    span = _exactly(place, found.texts[place.span.source]) if pieces else None
    if span is not None:
        written = place.text if isinstance(place, Key) else place.written
        for each in pieces:
            at = Span(span.source, span.start + each.start, span.start + each.end)
            yield at, written[each.start : each.end], each


def _exactly(place: Key | Scalar, text: Text) -> Span | None:
    """Where the text of a key or value stands letter for letter, without quotes; none where it is written otherwise."""
    written = place.text if isinstance(place, Key) else place.written
    start, end = place.span.start, place.span.end
    if text.content[start:end] == written:
        return place.span
    if text.content[start + 1 : end - 1] == written and text.content[start : start + 1] in {'"', "'"}:
        return Span(place.span.source, start + 1, end - 1)
    return None


def things_in(root: Node, names: Names) -> list[tuple[str, str]]:
    """Every id of a thing in the states of a file, with the section that it stands in."""
    sections = {key for program in names.programs for key in Sections(program).kinds}
    states = ((key.text, each) for key, each in entries_below(root) if key.text in sections)
    return [(id_.text, section) for section, each in states for id_, _ in entries_of(each)]


def _states(root: Mapping) -> Iterator[str]:
    """The files that scenarios begin with."""
    return (each.written for each in below(root) if isinstance(each, Scalar) and _DATA.search(each.written))


def state_share(root: Node | None, names: Names) -> Fraction:
    """How many of the keys of a file are parts of a state; all of them in one that is a state."""
    known = {key for program in names.programs for key in Sections(program).names}
    return _share(key.text in known for key, _ in root) if isinstance(root, Mapping) else Fraction(0)


def script_share(root: Node | None, names: Names) -> Fraction:
    """How many of the addresses by which a file answers the ruleset has; all of them in one that is a script."""
    addresses = [shapes_of(program).addresses for program in names.programs]
    match root:
        case Mapping(entries):
            written = [key.text for key, _ in entries]
        case Items(items):
            written = [
                at.written for each in items if isinstance(each, Mapping) and isinstance(at := each.get("at"), Scalar)
            ]
        case _:
            return Fraction(0)
    return _share(any(isinstance(one.resolve(each), str) for one in addresses) for each in written)


def _share(held: Iterable[bool]) -> Fraction:
    found = list(held)
    return Fraction(sum(found), len(found)) if found else Fraction(0)
