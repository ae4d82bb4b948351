"""English grammar: plurals, possessives, articles, agreement, negation, relative clauses; the words of comparisons and functions."""

import re
from collections.abc import Sequence

from rulewright.base.diagnostics import make_visible
from rulewright.runtime.codec_protocols import NameSource

COMPARISON_WORDS = {"=": "", "!=": "not ", ">=": "at least ", "<=": "at most ", ">": "more than ", "<": "less than "}
ARITHMETIC_SIGNS = {"+": "+", "-": "−", "*": "×", "/": "/"}  # noqa: RUF001 - signs of sums
STATE_SUFFIXES = ("ed", "en", "gone", "ing")
ATTRIBUTE_WORDS = {"at": "place"}
_IRREGULAR_PLURAL_PATTERN = re.compile(r"(?:^|[^aiou\W]|wo)men$|\bdice$")
MINUS_PATTERN = re.compile(r"-(?=\d)")

FUNCTION_PHRASES: dict[str, str] = {
    "abs": "the size of {0}",
    "floor": "{0}, rounded down",
    "ceiling": "{0}, rounded up",
    "round": "{0}, rounded to the nearest (halves away from zero)",
    "total": "the total of {0}",
    "count": "the number of {0}",
    "highest_face": "the highest face of {0}",
    "pairs": "the pairs of {0} and {1}",
    "position": "the position of {0} in {1}",
    "poses": "all places for {0}",
    "segment": "the line from {0} to {1}",
    "edge": "the edge of {0} at {1}° from its facing",
    "neighbours": "the neighbours of {0}",
    "distance": "the distance from {0} to {1}",
    "direction": "the direction from {0} to {1}",
    "directions": "all directions",
    "occupants": "what stands at {0}",
    "step": "the next cell from {0} in the direction of {1}",
    "rear_hexes": "the cells behind {0}, facing {1}",
    "gap": "the gap between {0} and {1}",
    "bearing": "the direction from {0} to {1}",
    "sorted": "{0} from the highest to the lowest",
    "starting_with": "{0} in turn, beginning with {1}",
    "sum": "the sum of {0}",
    "along": "{0} moved on by {1}",
}
PREDICATE_PHRASES: dict[str, tuple[str, str]] = {
    "adjacent": ("{0} is next to {1}", "{0} is not next to {1}"),
    "contact": ("{0} touches {1}", "{0} does not touch {1}"),
    "touches": ("{0} touches {1}", "{0} does not touch {1}"),
    "overlaps": ("{0} overlaps {1}", "{0} does not overlap {1}"),
    "aboard": ("{0} lies wholly within {1}", "{0} does not lie wholly within {1}"),
    "fits": ("{0} fits", "{0} does not fit"),
    "in_arc": (
        "some part of {1} is in the arc of {2} degrees before {0}",
        "no part of {1} is in the arc of {2} degrees before {0}",
    ),
    "crosses": ("{0} crosses {1}", "{0} does not cross {1}"),
    "sees": ("{0} sees {1}", "{0} does not see {1}"),
}
AGGREGATE_PHRASES = {"sum": "the sum of", "min": "the least of", "max": "the greatest of"}
_PREPOSITIONS = frozenset(
    "above across at behind below beside free in inside near off on out outside over ready under within without".split()  # noqa: SIM905
)
_MUTUAL_WORDS = frozenset(
    [
        "allied",
        "allies",
        "companions",
        "engaged",
        "enemies",
        "equal",
        "foes",
        "friends",
        "linked",
        "neighbours",
        "opponents",
    ]
)
_PAIR_SIZE = 2


def speak_name(name: str) -> str:
    """`extra attack` of `extra_attack`."""
    return make_visible(name.replace("_", " "))


def is_plural(noun: str) -> bool:
    """Whether a noun looks plural.

    >>> [is_plural(noun) for noun in ("wounds", "minis", "men", "dice", "class", "status", "axis", "omen", "s")]
    [True, True, True, True, False, False, False, False, False]
    """
    return bool(_IRREGULAR_PLURAL_PATTERN.search(noun)) or (
        noun.endswith("s") and not noun.endswith(("ss", "us", "sis", "xis")) and noun.rpartition(" ")[2] != "s"
    )


def make_singular(noun: str) -> str:
    """`wound` of `wounds`, `army` of `armies`; other nouns are unchanged.

    >>> [make_singular(each) for each in ("wounds", "armies", "riflemen", "dice", "omen", "status")]
    ['wound', 'army', 'rifleman', 'die', 'omen', 'status']
    """
    if not is_plural(noun):
        return noun
    if noun.endswith("dice"):
        return f"{noun[:-3]}ie"
    if noun.endswith("men"):
        return f"{noun[:-2]}an"
    return f"{noun[:-3]}y" if noun.endswith("ies") else noun[:-1]


def select_be_form(noun: str) -> str:
    """`is`, or `are` after a plural attribute: `captain's wounds are 2`."""
    return "are" if ("'" in noun and is_plural(noun.rpartition("' ")[2] if "' " in noun else noun)) else "is"


def select_verb_form(id_: str, one: str, more: str, names: NameSource) -> str:
    """Verb form after the id of a thing: `lancers lose`, but `bors loses` among knights of other names."""
    kin = names.ids_of_same_kind(id_)
    return more if is_plural(id_) and 2 * sum(map(is_plural, kin)) >= len(kin) > 0 else one


def join_words(words: Sequence[str], last: str = "and") -> str:
    """`a, b and c`."""
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def make_possessive(owner: str) -> str:
    """`anvil's`, `the rangers'`, `the boss's`."""
    return f"{owner}'" if owner.endswith("s") and not owner.endswith("ss") else f"{owner}'s"


def first_upper(text: str) -> str:
    """Text with its first letter in upper case."""
    return f"{text[:1].upper()}{text[1:]}"


def first_lower(text: str) -> str:
    """Text with its first letter in lower case."""
    return f"{text[:1].lower()}{text[1:]}"


def quote_title(title: str) -> str:
    """` (“stands fast”)` for a title; empty for none."""
    return f" (“{title}”)" if title else ""


def add_definite_article(noun: str) -> str:
    """Noun with `the`, unless it has an article."""
    known = not noun[:1].isalpha() or noun.startswith(("the ", "its ", "what ", "all ", "every "))
    return noun if known else f"the {noun}"


def end_sentence(text: str) -> str:
    """Text with a full stop, unless it has an end mark already."""
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def drop_article(noun: str) -> str:
    """Noun without its article."""
    return noun.removeprefix("the ")


def agree_verb(noun: str, one: str, more: str) -> str:
    """Verb form that agrees with a noun; nouns that look plural take `more`."""
    last = _MODIFIER_PATTERN.split(noun)[0].rpartition(" ")[2]
    is_named = noun.startswith(("the ", "its ")) or "'" in noun
    return more if is_named and is_plural(last) else one


def add_colon(heading: str) -> str:
    """A heading before what belongs to it; one that is a question or a sentence keeps its own sign.

    >>> add_colon("Winner"), add_colon("Does the die score?")
    ('Winner:', 'Does the die score?')
    """
    return heading if heading.endswith(("?", "!", ".")) else f"{heading}:"


def is_plural_phrase(noun: str) -> bool:
    """Whether `there are` fits before a noun phrase: the noun, or the title before it, is a plural.

    >>> is_plural_phrase("the open units"), is_plural_phrase("“foes in reach” for the unit"), is_plural_phrase("“crowd” for the spot")
    (True, True, False)
    """
    title = _QUOTED_TITLE_PATTERN.match(noun)
    head = f"the {(title[1] or title[2]).partition(' in ')[0]}" if title else noun
    return head.startswith("the ") and agree_verb(head, "is", "are") == "are"


_QUOTED_TITLE_PATTERN = re.compile("“([^“”]*)”(?: for |$)|the “([^“”]*) of” ")
_PREDICATE_WORD_PATTERN = re.compile(r"(?:in|on|at|of|next|side|close|near|within|joined)\b|\w+ed\b")
_MODIFIER_PATTERN = re.compile(r" (?:for|of|that|who|whose) ")


def say_term_holds(title: str, nouns: Sequence[str], *, truth: bool, of_things: bool, mutual: bool = False) -> str:
    """Sentence that a term of this title applies, or does not: `the charger is “engaging” the target`; else it *applies*."""
    clause = say_title_clause(title, nouns, truth=truth, of_things=of_things, mutual=mutual)
    return clause or _say_applies(title, nouns, truth)


def say_title_clause(title: str, nouns: Sequence[str], *, truth: bool, of_things: bool, mutual: bool = False) -> str:
    """Clause that a title makes with its arguments; empty where it makes none.

    Args:
        title: of the term.
        nouns: arguments of the term, in order.
        truth: whether it applies.
        of_things: whether all arguments are things or players.
        mutual: whether it is symmetric.
    """
    no, first, last = "" if truth else "not ", title.split(" ", maxsplit=1)[0], title.rpartition(" ")[2]
    if len(nouns) == 1 and negate_title(title):
        return f"{nouns[0]} “{title if truth else negate_title(title)}”"
    is_state = (
        first in {"a", "an", *_PREPOSITIONS} or first.endswith(_STATE_ENDINGS) or last.endswith((*_STATE_ENDINGS, "en"))
    )
    if len(nouns) == 1 and is_state:
        return f"{nouns[0]} {select_be_form(nouns[0])} {no}“{title}”"
    if (
        len(nouns) == _PAIR_SIZE
        and of_things
        and (first in _MUTUAL_WORDS or (mutual and _PREDICATE_WORD_PATTERN.match(title)))
    ):
        return f"{nouns[0]} and {nouns[1]} are {no}“{title}”"
    if len(nouns) == _PAIR_SIZE and of_things and title == first and first.endswith("ing"):
        return f"{nouns[0]} {select_be_form(nouns[0])} {no}“{title}” {nouns[1]}"
    if title.endswith("?"):
        of = f" for {join_words([*nouns])}" if nouns else ""
        return f"“{title}” is answered {'yes' if truth else 'no'}{of}"
    return ""


def _say_applies(title: str, nouns: Sequence[str], truth: bool) -> str:  # noqa: FBT001
    to = f" to {join_words([*nouns])}" if nouns else ""
    return f"“{title}” {'applies' if truth else 'does not apply'}{to}"


_STATE_ENDINGS = ("ing", "ed", "able")
_NEGATED_VERBS = {"can": "cannot", "has": "does not have", "is": "is not", "may": "may not", "needs": "does not need"}
PREDICATE_VERBS = frozenset(
    {*_NEGATED_VERBS, *(negated_verb.partition(" ")[0] for negated_verb in _NEGATED_VERBS.values())}
)
"""First words of titles that are predicates, and their negations."""


def negate_title(title: str) -> str:
    """Negation of a title that begins with a verb: `is not engaged`; empty for other titles."""
    first, _, rest = title.partition(" ")
    return f"{_NEGATED_VERBS[first]} {rest}" if first in _NEGATED_VERBS and rest else ""


def make_relative_clause(sentence: str, *, several: bool) -> str:
    """Relative clause from a sentence about `it`; empty if it would not read well.

    >>> make_relative_clause("its owner is the player", several=True)
    'whose owner is the player'
    >>> make_relative_clause("it shows 6", several=False)
    'that shows 6'
    >>> make_relative_clause("that model is “engaging” the attacker", several=True)
    'that are “engaging” the attacker'
    >>> make_relative_clause("the attacker is “engaging” that model", several=True)
    'that the attacker is “engaging”'
    >>> make_relative_clause("the charger and that model are “enemies”", several=True)
    'that are “enemies” of the charger'
    >>> make_relative_clause("“empty” does not apply to it", several=True)
    'to which “empty” does not apply'
    >>> make_relative_clause("parry is not one of its traits", several=False)
    'whose traits do not include parry'
    """
    if found := _OBJECT_PATTERN.fullmatch(sentence):
        return f"that {found['rest']}"
    if found := _MUTUAL_PATTERN.fullmatch(sentence):
        return _make_mutual_relative_clause(found, several=several)
    if found := _INCLUSION_PATTERN.fullmatch(sentence):
        verb = "do not include" if found["no"] else "include"
        return f"whose {found['members']} {verb} {found['item']}" if is_plural(found["members"]) else ""
    if found := _APPLICABILITY_PATTERN.fullmatch(sentence):
        return f"to which {found['applies']}"
    sentence = _MEMBER_SUBJECT_PATTERN.sub("it ", sentence)
    first, _, rest = sentence.partition(" ")
    if {"it", "its"} & set(_QUOTED_PATTERN.sub("", rest).split()):
        return ""
    if first == "its":
        return f"whose {rest}"
    verb, _, what = rest.partition(" ")
    if first != "it" or not (verb.startswith("“") or verb in _PLURAL_VERBS):
        return ""
    if not several:
        return f"that {rest}"
    if verb.startswith("“"):
        return f"each of which {rest}"
    what = _ONE_OF_PATTERN.sub(r"\1among ", what) if verb == "is" else what
    each = "each " if verb == "is" and what.removeprefix("not ").startswith(("“a ", "“an ")) else ""
    return f"that {_PLURAL_VERBS[verb]} {each}{what}"


def _make_mutual_relative_clause(found: re.Match[str], *, several: bool) -> str:
    title = found["title"]
    if title not in _MUTUAL_WORDS or not (several or title.endswith("ed")):
        return ""
    with_ = "with" if title.endswith("ed") else "to" if title == "equal" else "of"
    return f"that {'are' if several else 'is'} {found['no']}“{title}” {with_} {found['other'] or found['second']}"


_MEMBER, _OTHERS = r"that [\w ]+", r"(?:(?!\b(?:its?|that)\b)[^“”])+"
_MEMBER_SUBJECT_PATTERN = re.compile(rf"^{_MEMBER}? (?=is )")
_OBJECT_PATTERN = re.compile(
    rf"(?P<rest>{_OTHERS} (?:(?:is|are) (?:not )?“\w+ing”(?= {_MEMBER})|(?:crosses|overlaps|sees|touches)(?= it)))"
    rf" (?:it|{_MEMBER})"
)
_MUTUAL_PATTERN = re.compile(
    rf"(?:(?P<other>{_OTHERS}) and {_MEMBER}|{_MEMBER}? and (?P<second>{_OTHERS})) are (?P<no>(?:not )?)“(?P<title>[^“”]+)”"
)
_INCLUSION_PATTERN = re.compile(rf"(?P<item>{_OTHERS}) is (?P<no>not )?one of its (?P<members>[\w ]+)")
_APPLICABILITY_PATTERN = re.compile(rf"(?P<applies>“[^“”]+” (?:applies|does not apply)) to (?!.* and )(?:it|{_MEMBER})")
_QUOTED_PATTERN = re.compile(r"“[^”]*”")
_ONE_OF_PATTERN = re.compile(r"^(not )?one of ")
_PLURAL_VERBS = {
    "crosses": "cross",
    "does": "do",
    "fits": "fit",
    "has": "have",
    "is": "are",
    "lies": "lie",
    "overlaps": "overlap",
    "sees": "see",
    "shows": "show",
    "touches": "touch",
}


_CONTRACTIBLE_CLAUSE_PATTERN = re.compile(
    r"(?P<subject>[^“”(),:—]+?) (?P<verb>is|are|has|answered) (?P<predicate>[^(),:—]+)"
)
_CONNECTING_WORDS = frozenset({"and", "else", "for", "if", "it", "or", "that", "which", "who", "whom", "whose"})
_STATE_PATTERN = re.compile(
    r"(?:not )?(?:(?:in|out of) play|\w+(?:ed|en|gone|ing)|“(?!an? )[^“”]*”|(?:yes|no) to “[^“”]*”)"
)


def contract_clauses(clauses: Sequence[str], word: str) -> list[str]:
    """Neighbouring clauses that share their subject or their predicate as one.

    >>> contract_clauses(["the unit is ordered", "the unit is not moved", "the mode is a charge"], "and")
    ['the unit is ordered and not moved', 'the mode is a charge']
    >>> contract_clauses(["the unit is not moved", "the unit is ordered"], "and")  # not: not (moved and ordered)
    ['the unit is not moved', 'the unit is ordered']
    >>> contract_clauses(["the attacker is destroyed", "the defender is destroyed"], "and")
    ['the attacker and the defender are destroyed']
    >>> contract_clauses(["that are ready", "that are in play", "that are ordered"], "and")
    ['that are ready, in play and ordered']
    """
    parts: list[tuple[list[str], str, list[str]] | str] = []
    for clause in clauses:
        found = _CONTRACTIBLE_CLAUSE_PATTERN.fullmatch(clause)
        words = set(_QUOTED_PATTERN.sub("", clause.removeprefix("that ")).split())
        if found is None or words & (_CONNECTING_WORDS - {"it"} if clause.startswith("it ") else _CONNECTING_WORDS):
            parts.append(clause)
            continue
        subject, verb, predicate = found["subject"], found["verb"], found["predicate"]
        last = parts[-1] if parts else ""
        if (
            isinstance(last, tuple)
            and last[:2] == ([subject], verb)
            and _is_negative(predicate) >= _is_negative(last[2][-1])
        ):
            last[2].append(predicate)
        elif (
            isinstance(last, tuple)
            and last[1:] == (verb, [predicate])
            and verb in {"is", "answered"}
            and _STATE_PATTERN.fullmatch(predicate)
            and not {subject, *last[0]} & {"it", "there"}
        ):
            last[0].append(subject)
        else:
            parts.append(([subject], verb, [predicate]))
    return [part if isinstance(part, str) else _join_contracted(*part, word) for part in parts]


def _is_negative(predicate: str) -> bool:
    return predicate.startswith(("not ", "no "))


def _join_contracted(subjects: Sequence[str], verb: str, predicates: Sequence[str], word: str) -> str:
    are = "are" if verb == "is" and len(subjects) > 1 and word == "and" else verb
    return f"{join_words(subjects, word)} {are} {join_words(predicates, word)}"


def say_of_each(sentence: str, members: str) -> str:
    """A sentence about `it`, or about an attribute of it, said of each member; empty if it mentions `it` again.

    >>> say_of_each("it has a unit left", "the players")
    'each of the players has a unit left'
    >>> say_of_each("its health is more than 3", "the units")
    'the health of each of the units is more than 3'
    >>> say_of_each("the hero is next to it", "the units")
    'the hero is next to each of the units'
    """
    found = re.fullmatch(r"it (?P<verb>.+)|its (?P<what>[^,]+?) (?P<rest>(?:is|are) .+)|(?P<clause>.+) it", sentence)
    if found is None:
        return ""
    each, rest = f"each of {members}", found["clause"] or sentence.partition(" ")[2]
    negative = {"no", "none", "nobody", "nothing", "not"} if found["clause"] else set()
    if {"it", "its", "and", "or", *negative} & set(_QUOTED_PATTERN.sub("", rest).split()):
        return ""
    if found["verb"]:
        return f"{each} {found['verb']}"
    return f"{found['clause']} {each}" if found["clause"] else f"the {found['what']} of {each} {found['rest']}"
