"""Single lines, rows and conditions as sentences, found by where they stand: for who tells of edits."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from rulewright.base.node_roles import walk_nodes
from rulewright.base.source import Span
from rulewright.program import declarations as d, expressions as ex, rows as r, statements as st
from rulewright.program.declarations import Program
from rulewright.program.outline.items import OutlineItem
from rulewright.program.types import FlagType, strip_optional
from rulewright.wording.chapter.document import Paragraph
from rulewright.wording.chapter.english import first_lower, first_upper, quote_title
from rulewright.wording.chapter.phrases import PhraseGenerator
from rulewright.wording.chapter.row_tables import RowTableGenerator
from rulewright.wording.chapter.sections import SectionBuilder
from rulewright.wording.chapter.sentences import SentenceGenerator

_NODE_TYPES_BY_SORT: Mapping[str, tuple[type, ...]] = {
    "line": (st.Line,),
    "else": (st.Line,),
    "branch": (st.Branch,),
    "case": (st.Case,),
    "option": (st.Option,),
    "requirement": (st.Demand,),
    "key": (st.RankKey,),
    "modifier": (r.TallyRow,),
    "row": (r.DecideRow, r.TableRow),
    "condition": (r.ConditionRow,),
    "step": (d.Step,),
    "watch": (d.Watch,),
}
"""What an item of an outline is in the program."""
_DECLARATION_TYPES = (d.Function, d.Measure, d.Invariant, d.Event, d.Handler, d.StandingRule, d.Procedure)
_FIELDS_BY_PART: Mapping[str, tuple[str, ...]] = {
    "when": ("guard",),
    "condition": ("condition", "guard"),
    "value": ("value",),
    "result": ("result",),
    "who is asked": ("who",),
    "who rolls": ("by",),
    "holders": ("holders",),
    "start": ("start",),
}
"""The fields in which a part of an item stands, by what the outline calls it."""


class ItemSentences:
    """Puts what stands at one place of a program into words."""

    def __init__(self, program: Program) -> None:
        self._program = program

    @cached_property
    def _nodes_by_place(self) -> dict[tuple[str, int, type], tuple[Any, Any]]:
        """Every line and row with its declaration, by where it begins."""
        result: dict[tuple[str, int, type], tuple[Any, Any]] = {}
        for declared in self._all_declarations():
            for node in walk_nodes(declared):
                if isinstance(node, _ALL_NODE_TYPES) and isinstance(span := getattr(node, "span", None), Span):
                    sort = next(sort for sort in _ALL_NODE_TYPES if isinstance(node, sort))
                    result.setdefault((span.source, span.start, sort), (declared, node))
        return result

    def _all_declarations(self) -> Iterator[Any]:
        program = self._program
        for item in (program.functions, program.measures, program.invariants, program.events, program.handlers):
            yield from item.values()
        yield from (*program.rules.values(), *program.procedures.values())

    def _find_node(self, item: OutlineItem) -> tuple[Any, Any] | None:
        sorts = _NODE_TYPES_BY_SORT.get(item.sort, _DECLARATION_TYPES)
        at = item.span.source, item.span.start
        return next((self._nodes_by_place[*at, sort] for sort in sorts if (*at, sort) in self._nodes_by_place), None)

    def _make_generators(self, declared: Any) -> tuple[PhraseGenerator, SentenceGenerator]:
        phrases = PhraseGenerator(self._program, declared.variables, declared, getattr(declared, "parameters", ()))
        routine = {d.Handler: "The reaction", d.StandingRule: "The rule"}.get(type(declared), "The procedure")
        return phrases, SentenceGenerator(self._program, phrases, {}, routine)

    def item_sentence(self, item: OutlineItem, *, inside: bool) -> str:
        """What an item says, without a full stop; empty where it has no sentence.

        Args:
            item: of the outline of this program.
            inside: whether what stands inside it is told with it.
        """
        items = self._find_node(item)
        if items is None:
            return ""
        declared, node = items
        phrases, sentences = self._make_generators(declared)
        if item.sort == "else":
            return _join_block(_else_phrase(node), _else_block(node), sentences)
        return self._node_sentence(node, phrases, sentences, inside=inside)

    def _node_sentence(self, node: Any, phrases: PhraseGenerator, sentences: SentenceGenerator, *, inside: bool) -> str:
        rows = RowTableGenerator(phrases)
        match node:
            case st.Line():
                line: Any = node  # every class of lines is a statement
                first, *others = sentences.block_paragraphs((line,)) or (Paragraph("Nothing happens."),)
                return (
                    "; ".join(_flatten_paragraph(paragraph) for paragraph in (first, *others))
                    if inside
                    else _strip_end_mark(first.said)
                )
            case st.Branch(condition=condition, block=block):
                head = f"If {phrases.condition_clause(condition)}"
                return _join_block(head, block, sentences) if inside else head
            case st.Case(values=values):
                return " or ".join(map(phrases.noun_phrase, values)) if values else "Otherwise"
            case st.Demand():
                return _strip_end_mark(sentences.demand_paragraph(node).said)
            case st.RankKey():
                return first_upper(_strip_end_mark(sentences.rank_key_paragraph(node).said).partition(": ")[2])
            case r.ConditionRow():
                return first_upper(rows.guarded_condition_phrase(node))
            case r.TallyRow():
                when = rows.applicability_phrase(node.guard, node.binding)
                return f"{rows.modifier_phrase(node)} {when if node.binding or when == 'always' else f'if {when}'}"
            case r.DecideRow(value=value, guard=guard):
                return f"{phrases.value_phrase(value)} {'otherwise' if guard is None else f'if {phrases.condition_clause(guard)}'}"
            case r.TableRow(cells=cells, result=result):
                return f"{phrases.noun_phrase(result)} for {', '.join(map(rows.cell_phrase, cells))}"
            case d.Function(body=d.Value()):
                return "; ".join(
                    _strip_end_mark(body_paragraph.said)
                    for body_paragraph in SectionBuilder(self._program, {}).function_body_paragraphs(node)
                )
            case _:
                return "; ".join(self._content_sentences(node, phrases, sentences))

    def _content_sentences(self, node: Any, phrases: PhraseGenerator, sentences: SentenceGenerator) -> Iterator[str]:
        """What stands inside a declaration or step, each in a sentence."""
        match node:
            case d.Step(block=block) | d.Handler(block=block):
                yield from map(_flatten_paragraph, sentences.block_paragraphs(block))
            case d.StandingRule(condition=condition, block=block):
                yield _join_block(f"As soon as {phrases.condition_clause(condition)}", block, sentences)
            case d.Invariant(condition=condition):
                yield first_upper(phrases.condition_clause(condition))
            case d.Procedure(opening=opening, steps=steps):
                for item in opening:
                    if isinstance(item, d.Need):
                        yield f"Only if {phrases.condition_clause(item.condition)}"
                    elif isinstance(item, tuple):
                        yield from map(_flatten_paragraph, sentences.block_paragraphs(item))
                for step in steps:
                    only = "" if step.guard is None else f", if {phrases.condition_clause(step.guard)}"
                    yield _join_block(f"{step.title or step.id}{only}", step.block, sentences)
            case d.Function(body=d.Tally(rows=rows) | d.Decide(rows=rows) | d.Conditions(rows=rows)):
                for row in rows:
                    yield f"{self._node_sentence(row, phrases, sentences, inside=True)}{quote_title(row.title)}"
            case d.Function(body=d.Selection(conditions=conditions)):
                yield from (
                    first_upper(phrases.condition_clause(condition_row.condition)) for condition_row in conditions.rows
                )

    def branch_head(self, item: OutlineItem) -> str:
        """When what stands inside a branch, a case or an `else` is carried out; empty where it has no sentence."""
        if item.sort != "else":
            return self.item_sentence(item, inside=False)
        result = self._find_node(item)
        return _else_phrase(result[1]) if result is not None else ""

    def item_part_phrase(self, item: OutlineItem, name: str) -> str:
        """What a part of an item says, by what outlines call it; empty where it has no words."""
        result = self._find_node(item)
        if result is None:
            return ""
        declared, node = result
        value = next(
            (one for each in _FIELDS_BY_PART.get(name, ()) if (one := _find_node_field(node, each)) is not None), None
        )
        if not isinstance(value, ex.Typed):
            return ""
        phrases, _ = self._make_generators(declared)
        if isinstance(strip_optional(value.type), FlagType) and not isinstance(value, ex.Literal):
            return phrases.condition_clause(value)  # type: ignore[arg-type]
        noun = phrases.noun_phrase(value)  # type: ignore[arg-type]
        return {"who is asked": f"{noun} decides", "who rolls": f"{noun} rolls"}.get(name, noun)

    def split_condition(self, item: OutlineItem) -> tuple[str, tuple[str, ...]]:
        """What the condition of an item joins by `and`, or by `or`: that word, and each in a sentence."""
        result = self._find_node(item)
        condition = (
            None if result is None else _find_node_field(result[1], "condition") or _find_node_field(result[1], "guard")
        )
        if result is None or not isinstance(condition, ex.Logical):
            return "", ()
        phrases, _ = self._make_generators(result[0])
        return condition.operator, tuple(
            map(phrases.condition_clause, _flatten_operator(condition, condition.operator))
        )

    def table_row_cells(self, item: OutlineItem) -> tuple[str, ...]:
        """The inputs of a row of a table; none of anything else."""
        result = self._find_node(item)
        if result is None or not isinstance(result[1], r.TableRow):
            return ()
        rows = RowTableGenerator(self._make_generators(result[0])[0])
        return tuple(map(rows.cell_phrase, result[1].cells))


_ALL_NODE_TYPES = tuple(sort for sorts in (*_NODE_TYPES_BY_SORT.values(), _DECLARATION_TYPES) for sort in sorts)


def _flatten_operator(node: ex.Expression, operator: str) -> Iterator[ex.Expression]:
    if isinstance(node, ex.Logical) and node.operator == operator:
        yield from (*_flatten_operator(node.left, operator), *_flatten_operator(node.right, operator))
    else:
        yield node


def _find_node_field(node: Any, name: str) -> Any:
    """A field of a node; of a question also one of its shape, of a function one of its body."""
    for item in (node, getattr(node, "shape", None), getattr(node, "body", None), getattr(node, "question", None)):
        value = getattr(item, name, None)
        if value is not None:
            return value
    return None


def _else_phrase(node: Any) -> str:
    """What an `else` says, by the line that it belongs to."""
    question = getattr(node, "question", node)
    if isinstance(question, st.Ask):
        return "If not" if isinstance(question.shape, st.Whether) else "If there is no possible answer"
    return "Otherwise" if isinstance(node, st.If) else "If that is impossible"


def _else_block(node: Any) -> Sequence[st.Statement]:
    return getattr(node, "otherwise", None) or getattr(getattr(node, "question", None), "otherwise", None) or ()


def _strip_end_mark(said: str) -> str:
    return said.removesuffix(".").removesuffix(":")


def _join_block(head: str, block: Sequence[st.Statement], sentences: SentenceGenerator) -> str:
    told = "; ".join(
        _lower_sentence(_flatten_paragraph(block_paragraph)) for block_paragraph in sentences.block_paragraphs(block)
    )
    return f"{head}: {told or 'nothing happens'}"


def _flatten_paragraph(paragraph: Paragraph) -> str:
    """A paragraph in one line, with what stands below it."""
    below = "; ".join(_lower_sentence(_flatten_paragraph(item)) for item in paragraph.inside)
    return f"{_strip_end_mark(paragraph.said)}: {below}" if below else _strip_end_mark(paragraph.said)


def _lower_sentence(said: str) -> str:
    """A sentence behind a colon; a title or a quoted line stays as it is."""
    return first_lower(said) if said[1:2].islower() or said[1:2] == " " else said
