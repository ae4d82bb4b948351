"""Texts become nodes with their places."""

from rulewright.base.source import Text
from rulewright.syntax.nodes.declarations import (
    Decide,
    File,
    Insert,
    InsertLines,
    Kind,
    Procedure,
    RemovePart,
    Replace,
    ReplaceWhole,
    RowTarget,
    StoredField,
    Table,
    Tally,
    Term,
    UseHeader,
    Watch,
    Whenever,
)
from rulewright.syntax.nodes.expressions import (
    Attribute,
    Binary,
    CollectionType,
    MapType,
    NamedType,
    OptionalType,
    Quantified,
    RangeType,
    Reference,
    TupleType,
    WholeNumber,
)
from rulewright.syntax.nodes.statements import (
    Ask,
    Change,
    Choose,
    DecideRow,
    DiceOf,
    DiceParts,
    DiceWord,
    ForEach,
    If,
    Move,
    Pick,
    Roll,
    TableRow,
    TallyRow,
    Whether,
)
from rulewright.syntax.parser import parse_rules_text


def read(content: str) -> File:
    parsed = parse_rules_text(Text("a.rules", content))
    assert parsed.diagnostics == ()
    assert parsed.file is not None
    return parsed.file


def lines_of(content: str) -> tuple[object, ...]:
    (procedure,) = read("procedure p(a: Unit):\n" + content).declarations
    assert isinstance(procedure, Procedure)
    return procedure.opening


def test_headers_keep_their_order_and_places() -> None:
    text = 'ruleset mel "Melee" revision "1"\ndocument MEL "Doc"\nuse "b.rules" as b\n'
    ruleset, document, use = read(text).headers
    assert text[document.span.start : document.span.end] == 'document MEL "Doc"'
    assert ruleset.title is not None
    assert ruleset.title.text == "Melee"
    assert isinstance(use, UseHeader)
    assert (use.path.text, use.prefix and use.prefix.text) == ("b.rules", "b")


def test_a_kind_has_fields_in_order_with_titles_and_cites() -> None:
    (kind,) = read('kind Unit, units "A unit":\n  at: hex  @1\n  morale: 0..9 = 3 "Morale"\n').declarations
    assert isinstance(kind, Kind)
    assert (kind.name.text, kind.plural.text) == ("Unit", "units")
    at, morale = kind.fields
    assert isinstance(at, StoredField)
    assert isinstance(morale, StoredField)
    assert at.cites[0].clause == "1"
    assert (morale.title and morale.title.text) == "Morale"
    assert isinstance(morale.start, WholeNumber)


def test_row_ids_may_be_words_of_the_language() -> None:
    (tally,) = read("tally t() from 0:\n  at: +1\n  to: at least 2\n  from: becomes 3\n").declarations
    assert isinstance(tally, Tally)
    assert [(row.name.text, row.change) for row in tally.rows] == [
        ("at", "plus"),
        ("to", "at least"),
        ("from", "becomes"),
    ]


def test_types() -> None:
    (term,) = read("term t(a: set of Unit?, b: map of (A, B) to -3..4) gives m.Kind? means 1\n").declarations
    assert isinstance(term, Term)
    first, second = (each.type for each in term.parameters)
    assert isinstance(first, CollectionType)
    assert isinstance(first.inner, OptionalType)
    assert isinstance(second, MapType)
    assert isinstance(second.key, TupleType)
    assert isinstance(second.value, RangeType)
    assert (second.value.low, second.value.high) == (-3, 4)
    assert isinstance(term.gives, OptionalType)
    assert isinstance(term.gives.inner, NamedType)
    assert term.gives.inner.name.text == "m.Kind"


def test_operators_bind_as_in_a_spreadsheet() -> None:
    (term,) = read("term t() gives flag means a.b + 2 * c >= 3 and not d or e in f\n").declarations
    assert isinstance(term, Term)
    either = term.value
    assert isinstance(either, Binary)
    assert either.operator == "or"
    assert isinstance(either.left, Binary)
    assert either.left.operator == "and"
    comparison = either.left.left
    assert isinstance(comparison, Binary)
    assert comparison.operator == ">="
    assert isinstance(comparison.left, Binary)
    assert isinstance(comparison.left.left, Attribute)


def test_some_takes_all_that_follows() -> None:
    (term,) = read("term t() gives flag means some x in s where x.a and x.b\n").declarations
    assert isinstance(term, Term)
    assert isinstance(term.value, Quantified)
    assert isinstance(term.value.binder.where, Binary)


def test_a_step_has_its_title_after_its_id() -> None:
    text = 'procedure p():\n  step A.1 "One" when x > 3:  @7\n    stop\n  step A.2\n'
    (procedure,) = read(text).declarations
    assert isinstance(procedure, Procedure)
    first, second = procedure.steps
    assert (first.name.text, first.title and first.title.text, first.cites[0].clause) == ("A.1", "One", "7")
    assert isinstance(first.guard, Binary)
    assert second.block is None


def test_a_line_with_an_id_has_its_head_without_it() -> None:
    text = "procedure p(a: Unit):\n  follow: move a to b  @1\n"
    (procedure,) = read(text).declarations
    assert isinstance(procedure, Procedure)
    (move,) = procedure.opening
    assert isinstance(move, Move)
    assert move.label is not None
    assert move.label.text == "follow"
    assert text[move.head.start : move.head.end] == "move a to b"
    assert text[move.span.start : move.span.end] == "follow: move a to b  @1"


def test_else_belongs_to_the_line_above() -> None:
    whether, take, branch = lines_of(
        '  ask a whether go when b "Go?":  @1\n    stop\n  else:  @2\n    nothing\n'
        "  take up to 2 from a.x\n  else:\n    stop\n"
        "  if a:\n    stop\n  else if b:\n    stop\n  else:\n    stop\n"
    )
    assert isinstance(whether, Ask)
    assert isinstance(whether.shape, Whether)
    assert whether.cites[0].clause == "1"
    assert whether.block is not None
    assert whether.otherwise is not None
    assert whether.otherwise.cites[0].clause == "2"
    assert isinstance(take, Change)
    assert take.up_to
    assert take.otherwise is not None
    assert isinstance(branch, If)
    assert len(branch.branches) == 2
    assert branch.otherwise is not None


def test_a_question_without_a_block_may_have_an_else() -> None:
    (ask,) = lines_of('  ask a for x in s "Which?"\n  else:\n    stop\n')
    assert isinstance(ask, Ask)
    assert ask.block is None
    assert ask.otherwise is not None


def test_questions_have_demands_options_and_sizes() -> None:
    pick, choose = lines_of(
        '  ask a to pick 0..2 of each w in s as used "Which?":\n    require few: count(used) < 2 "few"\n    stop\n'
        '  ask a to choose way "How?":\n    option left when b "Left":\n      stop\n    option right\n'
    )
    assert isinstance(pick, Ask)
    assert isinstance(pick.shape, Pick)
    assert [each.name.text for each in pick.demands] == ["few"]
    assert isinstance(choose, Ask)
    assert isinstance(choose.shape, Choose)
    assert [(each.name.text, each.block is None) for each in choose.shape.options] == [("left", False), ("right", True)]


def test_dice() -> None:
    one, some, parts = lines_of(
        "  roll 2d6 keep highest 1 as a\n"
        "  roll n of d6 explode on 6 at most 2 with advantage t as b by p\n"
        "  roll [1 of d20, t: 3 of d6 drop lowest 1] as c\n"
    )
    assert isinstance(one, Roll)
    assert isinstance(one.dice, DiceWord)
    assert (one.dice.count, one.dice.faces) == (2, 6)
    assert (one.options[0].word, one.options[0].best) == ("keep", "highest")
    assert isinstance(some, Roll)
    assert isinstance(some.dice, DiceOf)
    assert [each.word for each in some.options] == ["explode", "with advantage"]
    assert isinstance(some.by, Reference)
    assert isinstance(parts, Roll)
    assert isinstance(parts.dice, DiceParts)
    assert [len(each.options) for each in parts.dice.parts] == [0, 1]


def test_a_table_with_columns() -> None:
    (table,) = read(
        "table t(a: A, b: B) gives 0..9:\n  across b: x | y\n  low: at most 3 | 1 | 2\n  any | 3 | 4\n"
    ).declarations
    assert isinstance(table, Table)
    assert table.across is not None
    assert len(table.across.cells) == 2
    assert [row.name and row.name.text for row in table.rows] == ["low", None]
    assert [cell.sort for cell in table.rows[0].cells] == ["at most", "value", "value"]


def test_a_standing_rule_has_its_three_lines() -> None:
    (rule,) = read(
        "whenever w for each u in units:\n  when u.x = 0\n  priority 2\n  lowers n\n  remove u\n"
    ).declarations
    assert isinstance(rule, Whenever)
    assert rule.priority == 2
    assert len(rule.block.lines) == 1


def test_a_watch_is_an_opening_line() -> None:
    watch, each = lines_of("  watch hit when a:  @1\n    add 1 to n\n  for each (x, y) in s:\n    stop\n")
    assert isinstance(watch, Watch)
    assert watch.event.text == "hit"
    assert isinstance(each, ForEach)
    assert [name.text for name in each.binder.names] == ["x", "y"]


def test_amendments() -> None:
    amendments = read(
        "replace row p/d/tied: attacker otherwise\n"
        "replace row t/big: +2 when x\n"
        "insert after t/a row new: 3 | 4\n"
        "insert into p/S:\n  stop\n"
        "replace decide d() gives flag:\n  a: yes otherwise\n"
        "remove p/S/w/x\n"
    ).declarations
    decide, tally, row, lines, whole, gone = amendments
    assert isinstance(decide, Replace)
    assert isinstance(decide.target, RowTarget)
    assert isinstance(decide.target.row, DecideRow)
    assert isinstance(tally, Replace)
    assert isinstance(tally.target, RowTarget)
    assert isinstance(tally.target.row, TallyRow)
    assert isinstance(row, Insert)
    assert (row.where, row.anchor and row.anchor.text) == ("after", "t/a")
    assert isinstance(row.target, RowTarget)
    assert isinstance(row.target.row, TableRow)
    assert isinstance(lines, InsertLines)
    assert lines.where == "into"
    assert isinstance(whole, ReplaceWhole)
    assert isinstance(whole.declaration, Decide)
    assert isinstance(gone, RemovePart)
    assert gone.address.text == "p/S/w/x"


def test_comments_are_kept_in_order() -> None:
    text = '# top\ngame:  # beside\n  a: text = "# no comment"\n  # own\n'
    file = read(text)
    assert [each.text for each in file.comments] == ["# top", "# beside", "# own"]
    assert [text[each.span.start : each.span.end] for each in file.comments] == [each.text for each in file.comments]


def test_unusual_ends_of_lines_and_files() -> None:
    for content in ("", "# only", "\ngame:\n  a: flag", "game:\r\n  a: flag  # c\r\n", "\ufeffgame:\n  a: flag\n"):
        read(content)


def test_a_margin_goes_on_below() -> None:
    (account,) = read('void "no use"\n  @1 @2\n  @3\n').declarations
    assert [each.clause for each in account.cites] == ["1", "2", "3"]
