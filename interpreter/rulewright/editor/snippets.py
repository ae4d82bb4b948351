"""Snippets: declarations to fill in, written with the kinds and attributes of a ruleset."""

import re
from collections.abc import Callable, Iterator

from rulewright.base.frozen import dataclass
from rulewright.editor.editor_workspace import OpenDocument
from rulewright.program.declarations import Kind, Program
from rulewright.program.types import CellType, NumberType, ThingType

_NAME_PATTERN = re.compile(r"[A-Za-z_]\w*")
_PLAYER = "player"


@dataclass(frozen=True, slots=True)
class Snippet:
    """Lines to insert; a field is written `${1:text}`, as in the Language Server Protocol."""

    name: str  # what it inserts, as in `a table`
    title: str
    body: str


@dataclass(frozen=True, slots=True)
class _Pieces:
    """Names of a ruleset that snippets are about; empty where it has none."""

    kind: str
    plural: str
    owner: str  # attribute that holds a player
    number: str  # attribute that holds a number, and can fall
    cell: str  # attribute that holds a cell of `board`
    board: str


def list_snippets(opened: OpenDocument) -> tuple[Snippet, ...]:
    """Snippets for a text, in the order in which they are offered; for an empty one only a whole ruleset."""
    if not opened.live.text.content.strip():
        return (_ruleset_snippet(),)
    taken = {name for live in opened.texts.values() for name in _NAME_PATTERN.findall(live.text.content)}
    taken |= {
        name for text in opened.best_snapshot.loaded.texts.values() for name in _NAME_PATTERN.findall(text.content)
    }
    return tuple(_iterate_snippets(_find_pieces(opened.program), lambda name: _free_name(name, taken)))


def _free_name(name: str, taken: set[str]) -> str:
    return next(item for item in (name, *(f"{name}_{at}" for at in range(2, len(taken) + 3))) if item not in taken)


def _find_pieces(program: Program | None) -> _Pieces:
    """Names of the first kind that has an owner, or else of the first kind."""
    found = [_kind_pieces(kind, program) for kind in program.kinds.values() if kind.name != _PLAYER] if program else []
    return max(
        found, key=lambda pieces: (bool(pieces.owner), bool(pieces.cell)), default=_Pieces("", "", "", "", "", "")
    )


def _kind_pieces(kind: Kind, program: Program) -> _Pieces:
    by_type = [(field.name, field.type) for field in kind.fields]
    owner = next((name for name, type_ in by_type if isinstance(type_, ThingType) and type_.kind == _PLAYER), "")
    number = next((name for name, type_ in by_type if isinstance(type_, NumberType) and not type_.paired), "")
    cells = [(name, type_.space) for name, type_ in by_type if isinstance(type_, CellType)]
    boards = {board.space: board.name for board in reversed([*program.boards.values()])}
    cell, board = next(((name, boards[space]) for name, space in cells if space in boards), ("", ""))
    return _Pieces(kind.name, kind.plural, owner, number, cell, board)


def _iterate_snippets(pieces: _Pieces, free: Callable[[str], str]) -> Iterator[Snippet]:
    yield _table_snippet(free)
    yield _modifiers_snippet(pieces, free)
    if pieces.owner and pieces.cell:
        yield _retreat_snippet(pieces, free)
    if pieces.owner:
        yield _morale_snippet(pieces, free)
        yield _hit_snippet(pieces, free)
        yield _turn_snippet(pieces, free)
    yield _kind_snippet(free)
    yield _words_snippet(free)


def _ruleset_snippet() -> Snippet:
    return Snippet(
        "a ruleset",
        "The head of the text, a kind of things, and a procedure to begin with",
        """\
ruleset ${1:skirmish} "${2:Skirmish}" revision "1" edition 2

kind ${3:Unit}, ${4:units} "${5:A unit}":
  owner: player
  health: 0..9 = 3

procedure ${6:fight}(attacker: ${3:Unit}, target: ${3:Unit}) "${7:A fight}":
  require foe: target.owner != attacker.owner "${8:a unit attacks an enemy}"
  step 1 "${9:The roll}":
    roll d6 as blow by attacker.owner
    if blow.natural >= ${10:4}:
      take up to 1 from target.health
""",
    )


def _table_snippet(free: Callable[[str], str]) -> Snippet:
    words, table = free("Outcome"), free("outcome")
    none, retreats, lost = free("no_effect"), free("retreats"), free("destroyed")
    return Snippet(
        "a table",
        "A chart with rows and columns, and the words that stand in it",
        f"""\
values ${{1:{words}}}:
  ${{2:{none}}} "${{3:No effect}}"
  ${{4:{retreats}}} "${{5:Retreat}}"
  ${{6:{lost}}} "${{7:Destroyed}}"
table ${{8:{table}}}(${{9:roll}}: 1..6, ${{10:shift}}: 1..3) gives ${{1:{words}}} "${{11:Results}}":
  across ${{10:shift}}: 1 | 2 | 3
  1..2 | ${{2:{none}}} | ${{2:{none}}} | ${{4:{retreats}}}
  3..4 | ${{2:{none}}} | ${{4:{retreats}}} | ${{4:{retreats}}}
  5..6 | ${{4:{retreats}}} | ${{4:{retreats}}} | ${{6:{lost}}}
""",
    )


def _modifiers_snippet(pieces: _Pieces, free: Callable[[str], str]) -> Snippet:
    name = free("modified_roll")
    about = f"attacker: {pieces.kind}, " if pieces.number else ""
    row = f'  weak: -1 when attacker.{pieces.number} <= ${{5:2}} "${{6:it is weak}}"\n' if pieces.number else ""
    return Snippet(
        "modifiers",
        "A number that each row raises or lowers",
        f"""\
tally ${{1:{name}}}({about}face: 1..6, charging: flag) from face "${{2:The modified roll}}":
  charge: ${{3:+1}} when charging "${{4:it charges}}"
{row}""",
    )


def _retreat_snippet(pieces: _Pieces, free: Callable[[str], str]) -> Snippet:
    hexes, name, kind, cell = free("retreat_places"), free("fall_back"), pieces.kind, pieces.cell
    return Snippet(
        "a retreat",
        "Where a beaten unit may go, and what happens if it cannot",
        f"""\
paths ${{1:{hexes}}}(u: {kind}, foe: {kind}) on {pieces.board} from u.{cell} "${{2:Where a unit can retreat}}":
  enter empty: no x in occupants(entered) "another unit stands there"
  enter away: distance(entered, foe.{cell}) >= 2 "not beside the enemy"
  enter near: moves <= ${{3:1}} "too far"
  end moved: moves >= 1
inner procedure ${{4:{name}}}(loser: {kind}, foe: {kind}) "${{5:A retreat}}":
  ask loser.{pieces.owner} for dest in ${{1:{hexes}}}(loser, foe) "${{6:Where does it retreat to?}}":
    move loser to dest
  else:
    remove loser
""",
    )


def _morale_snippet(pieces: _Pieces, free: Callable[[str], str]) -> Snippet:
    name = free("morale_check")
    return Snippet(
        "a morale check",
        "Two dice against a number; the procedure answers whether it holds",
        f"""\
procedure ${{1:{name}}}(unit: {pieces.kind}) gives flag "${{2:A morale check}}":
  step 1 "${{3:The roll}}":
    roll 2d6 as nerve by unit.{pieces.owner}
    finish with total(nerve) <= ${{4:7}}
""",
    )


def _hit_snippet(pieces: _Pieces, free: Callable[[str], str]) -> Snippet:
    name = free("shoot")
    hit = f"take up to 1 from target.{pieces.number}" if pieces.number else "remove target"
    return Snippet(
        "a roll to hit",
        "A die, the number that it needs, and what a hit does",
        f"""\
procedure ${{1:{name}}}(shooter: {pieces.kind}, target: {pieces.kind}) "${{2:A shot}}":
  require foe: target.{pieces.owner} != shooter.{pieces.owner} "${{3:a friend}}"
  step 1 "${{4:The roll}}":
    roll d6 as shot by shooter.{pieces.owner}
    if shot.natural >= ${{5:4}}:
      {hit}
""",
    )


def _turn_snippet(pieces: _Pieces, free: Callable[[str], str]) -> Snippet:
    name, own = free("player_turn"), f"{{each u in {pieces.plural} where u.{pieces.owner} = mover}}"
    foes = own.replace(" = ", " != ")
    used = "\n      ".join(
        (
            f'ask mover for target in {foes} "${{5:Whom does it attack?}}":',
            f"  if unit.{pieces.number} > target.{pieces.number}:",
            "    remove target",
            "else:",
            "  nothing",
        )
        if pieces.number
        else ("remove unit",)
    )
    return Snippet(
        "a turn",
        "A player chooses a unit, and does something with it",
        f"""\
procedure ${{1:{name}}}(mover: player) "${{2:A turn}}":
  step 1 "${{3:Choose}}":
    ask mover for unit in {own} "${{4:Which one is used?}}":
      {used}
    else:
      finish
""",
    )


def _kind_snippet(free: Callable[[str], str]) -> Snippet:
    return Snippet(
        "a kind of thing",
        "What is on the table, with its attributes",
        f"""\
kind ${{1:{free("Marker")}}}, ${{2:{free("markers")}}} "${{3:A marker}}":
  owner: player
  ${{4:value}}: ${{5:0..9 = 0}}
""",
    )


def _words_snippet(free: Callable[[str], str]) -> Snippet:
    return Snippet(
        "a list of words",
        "What a value may be, each with what the players call it",
        f"""\
values ${{1:{free("Weather")}}}:
  ${{2:{free("clear")}}} "${{3:Clear}}"
  ${{4:{free("rain")}}} "${{5:Rain}}"
""",
    )
