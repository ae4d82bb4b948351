"""Single statements, rows and conditions as sentences, found by their place; for comparisons of revisions."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from rulewright.base.node_roles import walk_nodes
from rulewright.base.source import Span
from rulewright.program import declarations as d, expressions as ex, statements as st
from rulewright.program.declarations import Program
from rulewright.program.outline.items import OutlineItem
from rulewright.program.types import FlagType, strip_optional
from rulewright.wording.chapter_document import Paragraph, RowTableGenerator
from rulewright.wording.chapter_sections import SectionBuilder
from rulewright.wording.english import add_colon, first_lower, first_upper, quote_title
from rulewright.wording.phrases import PhraseGenerator
from rulewright.wording.sentences import SentenceGenerator

_NODE_TYPES_BY_SORT: Mapping[str, tuple[type, ...]] = {
    "line": (st.Line,),
    "else": (st.Line,),
    "branch": (st.Branch,),
    "case": (st.Case,),
    "option": (st.Option,),
    "requirement": (st.Demand,),
    "key": (st.RankKey,),
    "modifier": (ex.TallyRow,),
    "row": (ex.DecideRow, ex.TableRow),
    "condition": (ex.ConditionRow,),
    "step": (d.Step,),
    "watch": (d.Watch,),
}
"""Node classes by sort of outline item."""
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
"""Node fields by the outline's name of a part."""


class ItemSentences:
    """Sentences of the outline items of one program."""

    def __init__(self, program: Program) -> None:
        self._program = program

    @cached_property
    def _nodes_by_place(self) -> dict[tuple[str, int, type], tuple[Any, Any]]:
        """Node and its declaration by source, start and class."""
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
        return phrases, SentenceGenerator(self._program, phrases, routine=routine)

    def item_sentence(self, item: OutlineItem, *, inside: bool) -> str:
        """Sentence of an item without a full stop; empty if it has none.

        Args:
            item: of the outline of this program.
            inside: include the nested items.
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
                first, *others = sentences.line_paragraphs(line)
                return (
                    "; ".join(_flatten_paragraph(paragraph) for paragraph in (first, *others))
                    if inside
                    else _strip_end_mark(first.text)
                )
            case st.Branch(condition=condition, block=block):
                head = f"If {phrases.condition_clause(condition)}"
                return _join_block(head, block, sentences) if inside else head
            case st.Case(values=values):
                return sentences.case_values_phrase(values) or "Otherwise"
            case st.Demand():
                return _strip_end_mark(sentences.demand_paragraph(node).text)
            case st.RankKey():
                return first_upper(_strip_end_mark(sentences.rank_key_paragraph(node).text).partition(": ")[2])
            case ex.ConditionRow():
                return first_upper(rows.guarded_condition_phrase(node))
            case ex.TallyRow():
                modifier, when = rows.modifier_phrase(node), rows.applicability_phrase(node.guard, node.binding)
                return modifier if when == "always" else f"{modifier} {when if node.binding else f'if {when}'}"
            case ex.DecideRow(value=value, guard=guard):
                return f"{phrases.value_phrase(value)} {'otherwise' if guard is None else f'if {phrases.condition_clause(guard)}'}"
            case ex.TableRow(cells=cells, result=result):
                return f"{phrases.noun_phrase(result)} for {', '.join(map(rows.cell_phrase, cells))}"
            case d.Function(body=d.Value()):
                return "; ".join(
                    _strip_end_mark(body_paragraph.text)
                    for body_paragraph in SectionBuilder(self._program).function_body_paragraphs(node)
                )
            case _:
                return "; ".join(self._content_sentences(node, phrases, sentences))

    def _content_sentences(self, node: Any, phrases: PhraseGenerator, sentences: SentenceGenerator) -> Iterator[str]:
        match node:
            case d.Step(block=block) | d.Handler(block=block):
                yield from map(_flatten_paragraph, sentences.block_paragraphs(block))
            case d.StandingRule(block=block):
                yield _join_block(phrases.standing_rule_phrase(node), block, sentences)
            case d.Invariant():
                yield phrases.invariant_phrase(node)
            case d.Procedure(opening=opening, steps=steps):
                for item in opening:
                    if isinstance(item, d.Need):
                        yield f"Only if {RowTableGenerator(phrases).guarded_condition_phrase(item)}"
                    elif isinstance(item, tuple):
                        yield from map(_flatten_paragraph, sentences.block_paragraphs(item))
                for step in steps:
                    only = "" if step.guard is None else f", if {phrases.condition_clause(step.guard)}"
                    yield _join_block(f"{step.title or step.id}{only}", step.block, sentences)
            case d.Function(body=d.Tally(rows=rows) | d.Decide(rows=rows) | d.Conditions(rows=rows)):
                for row in rows:
                    yield f"{self._node_sentence(row, phrases, sentences, inside=True)}{quote_title(row.title)}"
            case d.Function(body=d.Selection(binding, conditions)):
                if binding.where is not None:
                    yield f"Each {phrases.filtered_member_phrase(binding)}"
                yield from (
                    first_upper(RowTableGenerator(phrases).guarded_condition_phrase(row)) for row in conditions.rows
                )

    def branch_head(self, item: OutlineItem) -> str:
        """Condition under which a branch, case or `else` runs; empty if it has no sentence."""
        if item.sort != "else":
            return self.item_sentence(item, inside=False)
        result = self._find_node(item)
        return _else_phrase(result[1]) if result is not None else ""

    def item_part_phrase(self, item: OutlineItem, name: str) -> str:
        """Phrase of a part of an item by its name in outlines; empty if it has none."""
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
        """Operator, `and` or `or`, of an item's condition, and a sentence for each operand."""
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
        """Inputs of a table row; empty for other items."""
        result = self._find_node(item)
        if result is None or not isinstance(result[1], ex.TableRow):
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
    """Looks also in the shape of a question and the body of a function."""
    for item in (node, getattr(node, "shape", None), getattr(node, "body", None), getattr(node, "question", None)):
        value = getattr(item, name, None)
        if value is not None:
            return value
    return None


def _else_phrase(node: Any) -> str:
    question = getattr(node, "question", node)
    if isinstance(question, st.Ask):
        return "If not" if isinstance(question.shape, st.Whether) else "If there is no possible answer"
    return "Otherwise" if isinstance(node, st.If) else "If that is impossible"


def _else_block(node: Any) -> Sequence[st.Statement]:
    return getattr(node, "otherwise", None) or getattr(getattr(node, "question", None), "otherwise", None) or ()


def _strip_end_mark(sentence: str) -> str:
    return sentence.removesuffix(".").removesuffix(":")


def _join_block(head: str, block: Sequence[st.Statement], sentences: SentenceGenerator) -> str:
    sentences_text = "; ".join(
        _lower_sentence(_flatten_paragraph(block_paragraph)) for block_paragraph in sentences.block_paragraphs(block)
    )
    return f"{add_colon(head)} {sentences_text or 'nothing happens'}"


def _flatten_paragraph(paragraph: Paragraph) -> str:
    below = "; ".join(_lower_sentence(_flatten_paragraph(item)) for item in paragraph.inside)
    return f"{_strip_end_mark(paragraph.text)}: {below}" if below else _strip_end_mark(paragraph.text)


def _lower_sentence(sentence: str) -> str:
    """For use behind a colon; titles and quoted code keep their case."""
    return first_lower(sentence) if sentence[1:2].islower() or sentence[1:2] == " " else sentence
