"""What a line, a row or a declaration may have besides, is said: a chapter without it reads otherwise.

Every field of every class of nodes that may be absent is taken from `optional_parts.rules`, one at a time. A class that
comes to have another such field needs it in that text, or an entry below with the reason why no reader misses it.
"""

import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rulewright.base.node_roles import Role, get_field_roles, is_node_class, walk_nodes
from rulewright.program import declarations as d, expressions as ex, statements as st
from rulewright.program.declarations import Program
from rulewright.program.outline.outline_builder import build_outline
from rulewright.wording.chapter_builder import make_chapter
from rulewright.wording.item_sentences import ItemSentences
from support.revision_pairs import check_text

PROGRAM = check_text(Path(__file__).with_name("optional_parts.rules").read_text(encoding="utf-8"))
OUTLINE = build_outline(PROGRAM, {})
DECLARATIONS = ("game", "boards", "kinds", "relations", "functions", "external_procedures", "external_terms")
ROUTINES = ("invariants", "events", "handlers", "rules", "procedures")

UNSAID = {
    ("Aggregate", "value"): "absent only from `count`, whose other words have one",
    ("Ask", "everyone"): "the player whom the lines inside name as asked",
    ("Binding", "variables"): "never absent; a variable of it may be",
    ("Cell", "high"): "always beside others: a bound alone reads otherwise",
    ("Cell", "low"): "always beside others: a bound alone reads otherwise",
    ("Cell", "value"): "a value, or bounds",
    ("Function", "symmetric"): "a proof that the definition is; it says so itself",
    ("Literal", "value"): "no value is the word `nothing`",
    ("NamedDie", "face_type"): "the type of the faces that are listed",
    ("Procedure", "defaults"): "never absent; a default in it may be",
    ("Proceed", "bound"): "a promise of the author, no rule of play",
    ("QuestionPolicy", "worth"): "laid beside the rules, no part of them",
}


def list_optional_fields(kind: Any) -> Iterator[str]:
    """Fields that are a flag or may hold none."""
    for each in dataclasses.fields(kind):
        written = str(each.type)
        may_be_absent = each.type is bool or written == "bool" or "None" in written
        if may_be_absent and each.name != "type" and get_field_roles(kind)[each.name] in {Role.CONTENT, Role.CHILD}:
            yield each.name


def replace_node(root: Any, node: Any, new: Any) -> Any:
    """The tree with one of its nodes replaced, told by identity."""
    if root is node:
        return new
    if isinstance(root, tuple):
        return tuple(replace_node(each, node, new) for each in root)
    if not is_node_class(root.__class__):
        return root
    inside = [name for name, role in get_field_roles(root.__class__).items() if role in {Role.CONTENT, Role.CHILD}]
    changed = {name: replace_node(getattr(root, name), node, new) for name in inside}
    return dataclasses.replace(root, **changed)


def list_alterations() -> Iterator[tuple[str, str, str, Any, Program]]:
    """Class, field and declaration, the node that had it, and the program without it."""
    for sort in (*DECLARATIONS, *ROUTINES):
        declared: Mapping[str, Any] = getattr(PROGRAM, sort)
        for name, declaration in declared.items():
            lowers = [*walk_nodes(getattr(declaration, "lowers", ()))]
            for node in walk_nodes(declaration):
                for field in list_optional_fields(node.__class__):
                    key, value = (node.__class__.__name__, field), getattr(node, field)
                    if key in UNSAID or value is None or any(node is each for each in lowers):
                        continue
                    if key == ("Event", "first_taker") and node.holders is None:
                        continue  # nobody is the first
                    new = dataclasses.replace(node, **{field: None if not isinstance(value, bool) else not value})
                    changed = {**declared, name: replace_node(declaration, node, new)}
                    yield *key, name, node, dataclasses.replace(PROGRAM, **{sort: changed})


ALTERATIONS = [*list_alterations()]


def test_a_chapter_without_it_reads_otherwise() -> None:
    said = str(make_chapter(PROGRAM, {}, ()))
    silent = [
        (kind, field, name)
        for kind, field, name, _, program in ALTERATIONS
        if str(make_chapter(program, {}, ())) == said
    ]
    assert silent == []


def test_the_sentence_of_the_line_without_it_reads_otherwise() -> None:
    said = ItemSentences(PROGRAM)
    silent = [
        (kind, field, name)
        for kind, field, name, node, program in ALTERATIONS
        if not isinstance(node, d.Declared | d.Step | d.Watch | d.Field | d.Paths | st.Option | st.Whether)
        and name not in PROGRAM.handlers
        and not any(
            said.item_sentence(item, inside=False) != sentences.item_sentence(item, inside=False)
            for sentences in [ItemSentences(program)]
            for item in sorted(OUTLINE.walk_items(), key=lambda item: name not in item.address)
        )
    ]
    assert silent == [], "a part of an item has a phrase of its own; these are parts of lines and rows"


def test_every_field_that_may_be_absent_is_in_the_text() -> None:
    tried = {(kind, field) for kind, field, *_ in list_alterations()}
    wanted = {
        (kind.__name__, field)
        for module in (d, ex, st)
        for kind in vars(module).values()
        if isinstance(kind, type) and is_node_class(kind) and kind.__module__ == module.__name__
        for field in list_optional_fields(kind)
    }
    assert wanted - {*UNSAID} - tried == set()
    assert {*UNSAID} - wanted == set(), "these are no more"
