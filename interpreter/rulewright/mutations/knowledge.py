"""What operators know of the ruleset around a text."""

from collections.abc import Iterable, Mapping

from rulewright.frozen import dataclass
from rulewright.syntax.format_expression import format_type
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes import statements as s

_CALLED = (d.Procedure, d.Event, d.Term, d.Relation, d.Tally, d.Decide, d.Table, d.Paths, d.Measure, d.ExternalTerm)


@dataclass(frozen=True, slots=True)
class Known:
    """Names of a ruleset.

    Attributes:
        declarations: procedures, events and functions, by name.
        handlers: names of the events of handlers, by the name of the handler.
        words: for every word, the words of its list.
        flags: for every attribute of a kind, the flags that the kind stores; of an attribute that several kinds have
            those of the last.
    """

    declarations: Mapping[str, d.Declaration]
    handlers: Mapping[str, str]
    words: Mapping[str, tuple[str, ...]]
    flags: Mapping[str, tuple[str, ...]]


def known_of(declarations: Iterable[d.Declaration]) -> Known:
    """What is known from some declarations; of two with one name, from the last."""
    all_ = list(declarations)
    lists = [tuple(word.name.text for word in each.words) for each in all_ if isinstance(each, d.Values)]
    return Known(
        {each.name.text: each for each in all_ if isinstance(each, _CALLED)},
        {each.name.text: each.event.parts[-1].text for each in all_ if isinstance(each, d.Handler)},
        {word: words for words in lists for word in words},
        {field.name.text: _flags(each) for each in all_ if isinstance(each, d.Kind) for field in each.fields},
    )


def _flags(kind: d.Kind) -> tuple[str, ...]:
    stored = (each for each in kind.fields if isinstance(each, d.StoredField))
    return tuple(each.name.text for each in stored if format_type(each.type) == "flag")


def peers(declaration: object) -> Mapping[str, str]:
    """For each name that a declaration gives a type, the next name of that type, the first after the last."""
    groups: dict[str, list[str]] = {}
    for name, type_ in _typed(declaration):
        groups.setdefault(type_, []).append(name)
    return {
        name: names[(at + 1) % len(names)] for names in groups.values() for at, name in enumerate(names) if names[1:]
    }


def _typed(declaration: object) -> list[tuple[str, str]]:
    found = [(each.name.text, format_type(each.type)) for each in getattr(declaration, "parameters", ())]
    if isinstance(declaration, d.Procedure):
        lets = [each for each in declaration.opening if isinstance(each, s.Let) and each.type is not None]
        found += [(each.name.text, format_type(each.type)) for each in lets if each.type]
    return list(dict(found).items())


def steps(declaration: object) -> tuple[str, ...]:
    """The ids of the steps of a procedure; none of anything else."""
    return tuple(each.name.text for each in declaration.steps) if isinstance(declaration, d.Procedure) else ()
