"""Single lines, rows and conditions as sentences, found by where they stand: for who tells of edits."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from rulewright.chapter.document import Paragraph
from rulewright.chapter.english import explaining, first_lower, first_upper
from rulewright.chapter.phrases import Phrases
from rulewright.chapter.rows import Rows
from rulewright.chapter.sections import Sections
from rulewright.chapter.sentences import Sentences
from rulewright.outline.items import Item
from rulewright.program import declarations as d, expressions as ex, rows as r, statements as st
from rulewright.program.declarations import Program
from rulewright.program.types import FlagType, present
from rulewright.roles import nodes
from rulewright.source import Span

_SORTS: Mapping[str, tuple[type, ...]] = {
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
_WHOLE = (d.Function, d.Measure, d.Invariant, d.Event, d.Handler, d.StandingRule, d.Procedure)
_PARTS: Mapping[str, tuple[str, ...]] = {
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


class SingleSentences:
    """Puts what stands at one place of a program into words."""

    def __init__(self, program: Program) -> None:
        self._program = program

    @cached_property
    def _known(self) -> dict[tuple[str, int, type], tuple[Any, Any]]:
        """Every line and row with its declaration, by where it begins."""
        found: dict[tuple[str, int, type], tuple[Any, Any]] = {}
        for declared in self._declared():
            for node in nodes(declared):
                if isinstance(node, _ANY) and isinstance(span := getattr(node, "span", None), Span):
                    sort = next(sort for sort in _ANY if isinstance(node, sort))
                    found.setdefault((span.source, span.start, sort), (declared, node))
        return found

    def _declared(self) -> Iterator[Any]:
        program = self._program
        for each in (program.functions, program.measures, program.invariants, program.events, program.handlers):
            yield from each.values()
        yield from (*program.rules.values(), *program.procedures.values())

    def _found(self, item: Item) -> tuple[Any, Any] | None:
        sorts = _SORTS.get(item.sort, _WHOLE)
        at = item.span.source, item.span.start
        return next((self._known[*at, sort] for sort in sorts if (*at, sort) in self._known), None)

    def _words(self, declared: Any) -> tuple[Phrases, Sentences]:
        phrases = Phrases(self._program, declared.variables, declared, getattr(declared, "parameters", ()))
        routine = {d.Handler: "The reaction", d.StandingRule: "The rule"}.get(type(declared), "The procedure")
        return phrases, Sentences(self._program, phrases, {}, routine)

    def said(self, item: Item, *, inside: bool) -> str:
        """What an item says, without a full stop; empty where it has no sentence.

        Args:
            item: of the outline of this program.
            inside: whether what stands inside it is told with it.
        """
        found = self._found(item)
        if found is None:
            return ""
        declared, node = found
        phrases, sentences = self._words(declared)
        if item.sort == "else":
            return _joined(_else(node), _otherwise(node), sentences)
        return self._node(node, phrases, sentences, inside=inside)

    def _node(  # noqa: C901, PLR0911 - each sort
        self, node: Any, phrases: Phrases, sentences: Sentences, *, inside: bool
    ) -> str:
        rows = Rows(phrases)
        match node:
            case st.Line():
                line: Any = node  # every class of lines is a statement
                first, *others = sentences.block((line,)) or (Paragraph("Nothing happens."),)
                return "; ".join(_flat(each) for each in (first, *others)) if inside else _bare(first.said)
            case st.Branch(condition=condition, block=block):
                head = f"If {phrases.sentence(condition)}"
                return _joined(head, block, sentences) if inside else head
            case st.Case(values=values):
                return " or ".join(map(phrases.noun, values)) if values else "Otherwise"
            case st.Demand():
                return _bare(sentences.demand(node).said)
            case st.RankKey():
                return first_upper(_bare(sentences.key(node).said).partition(": ")[2])
            case r.ConditionRow():
                return first_upper(rows.guarded(node))
            case r.TallyRow():
                when = rows.when(node.guard, node.binding)
                return f"{rows.change(node)} {when if node.binding or when == 'always' else f'if {when}'}"
            case r.DecideRow(value=value, guard=guard):
                return f"{phrases.value(value)} {'otherwise' if guard is None else f'if {phrases.sentence(guard)}'}"
            case r.TableRow(cells=cells, result=result):
                return f"{phrases.noun(result)} for {', '.join(map(rows.cell, cells))}"
            case d.Function(body=d.Value()):
                return "; ".join(_bare(each.said) for each in Sections(self._program, {}).body(node))
            case _:
                return "; ".join(self._opened(node, phrases, sentences))

    def _opened(  # noqa: C901 - each sort
        self, node: Any, phrases: Phrases, sentences: Sentences
    ) -> Iterator[str]:
        """What stands inside a declaration or step, each in a sentence."""
        match node:
            case d.Step(block=block) | d.Handler(block=block):
                yield from map(_flat, sentences.block(block))
            case d.StandingRule(condition=condition, block=block):
                yield _joined(f"As soon as {phrases.sentence(condition)}", block, sentences)
            case d.Invariant(condition=condition):
                yield first_upper(phrases.sentence(condition))
            case d.Procedure(opening=opening, steps=steps):
                for each in opening:
                    if isinstance(each, d.Need):
                        yield f"Only if {phrases.sentence(each.condition)}"
                    elif isinstance(each, tuple):
                        yield from map(_flat, sentences.block(each))
                for step in steps:
                    only = "" if step.guard is None else f", if {phrases.sentence(step.guard)}"
                    yield _joined(f"{step.title or step.id}{only}", step.block, sentences)
            case d.Function(body=d.Tally(rows=rows) | d.Decide(rows=rows) | d.Conditions(rows=rows)):
                for row in rows:
                    yield f"{self._node(row, phrases, sentences, inside=True)}{explaining(row.title)}"
            case d.Function(body=d.Selection(conditions=conditions)):
                yield from (first_upper(phrases.sentence(each.condition)) for each in conditions.rows)

    def head(self, item: Item) -> str:
        """When what stands inside a branch, a case or an `else` is carried out; empty where it has no sentence."""
        if item.sort != "else":
            return self.said(item, inside=False)
        found = self._found(item)
        return _else(found[1]) if found is not None else ""

    def part(self, item: Item, name: str) -> str:
        """What a part of an item says, by what outlines call it; empty where it has no words."""
        found = self._found(item)
        if found is None:
            return ""
        declared, node = found
        value = next((one for each in _PARTS.get(name, ()) if (one := _field(node, each)) is not None), None)
        if not isinstance(value, ex.Typed):
            return ""
        phrases, _ = self._words(declared)
        if isinstance(present(value.type), FlagType) and not isinstance(value, ex.Literal):
            return phrases.sentence(value)  # type: ignore[arg-type]
        noun = phrases.noun(value)  # type: ignore[arg-type]
        return {"who is asked": f"{noun} decides", "who rolls": f"{noun} rolls"}.get(name, noun)

    def operands(self, item: Item) -> tuple[str, tuple[str, ...]]:
        """What the condition of an item joins by `and`, or by `or`: that word, and each in a sentence."""
        found = self._found(item)
        condition = None if found is None else _field(found[1], "condition") or _field(found[1], "guard")
        if found is None or not isinstance(condition, ex.Logical):
            return "", ()
        phrases, _ = self._words(found[0])
        return condition.operator, tuple(map(phrases.sentence, _joined_by(condition, condition.operator)))

    def cells(self, item: Item) -> tuple[str, ...]:
        """The inputs of a row of a table; none of anything else."""
        found = self._found(item)
        if found is None or not isinstance(found[1], r.TableRow):
            return ()
        rows = Rows(self._words(found[0])[0])
        return tuple(map(rows.cell, found[1].cells))


_ANY = tuple(sort for sorts in (*_SORTS.values(), _WHOLE) for sort in sorts)


def _joined_by(node: ex.Expression, operator: str) -> Iterator[ex.Expression]:
    if isinstance(node, ex.Logical) and node.operator == operator:
        yield from (*_joined_by(node.left, operator), *_joined_by(node.right, operator))
    else:
        yield node


def _field(node: Any, name: str) -> Any:
    """A field of a node; of a question also one of its shape, of a function one of its body."""
    for each in (node, getattr(node, "shape", None), getattr(node, "body", None), getattr(node, "question", None)):
        value = getattr(each, name, None)
        if value is not None:
            return value
    return None


def _else(node: Any) -> str:
    """What an `else` says, by the line that it belongs to."""
    question = getattr(node, "question", node)
    if isinstance(question, st.Ask):
        return "If not" if isinstance(question.shape, st.Whether) else "If there is no possible answer"
    return "Otherwise" if isinstance(node, st.If) else "If that is impossible"


def _otherwise(node: Any) -> Sequence[st.Statement]:
    return getattr(node, "otherwise", None) or getattr(getattr(node, "question", None), "otherwise", None) or ()


def _bare(said: str) -> str:
    return said.removesuffix(".").removesuffix(":")


def _joined(head: str, block: Sequence[st.Statement], sentences: Sentences) -> str:
    told = "; ".join(_small(_flat(each)) for each in sentences.block(block))
    return f"{head}: {told or 'nothing happens'}"


def _flat(paragraph: Paragraph) -> str:
    """A paragraph in one line, with what stands below it."""
    below = "; ".join(_small(_flat(each)) for each in paragraph.inside)
    return f"{_bare(paragraph.said)}: {below}" if below else _bare(paragraph.said)


def _small(said: str) -> str:
    """A sentence behind a colon; a title or a quoted line stays as it is."""
    return first_lower(said) if said[1:2].islower() or said[1:2] == " " else said
