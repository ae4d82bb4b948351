"""The operations of core expressions, one row each; interpreter, writers and analyses have a row for each of them.

`tests/packaging/test_core_tables.py` holds their tables against this one.
"""

from collections.abc import Mapping
from typing import Literal

from rulewright.base.frozen import dataclass

FAULTS: Mapping[str, str] = {
    "RW0801": "a value outside the bounds of its place",
    "RW0802": "none where a value is needed",
    "RW0803": "a number added or taken without room",
    "RW0804": "a division by zero",
    "RW0805": "`the` that finds none or several",
    "RW0806": "a position outside a list, or a direction to the same cell",
    "RW0807": "the least or greatest of nothing",
    "RW0808": "a question or draw without any possible answer",
    "RW0809": "a need that does not hold in an inner call",
    "RW0810": "an invariant that does not hold",
    "RW0814": "a standing rule whose measure did not fall",
    "RW0815": "a thing out of play that should move, turn or be placed",
    "RW0816": "rows that cover no case",
    "RW0817": "`other` without a set of two",
    "RW0820": "a thing that would leave the board",
    "RW0821": "a member taken that is not there",
    "RW0822": "a distance from something that is not on the board",
    "RW0835": "members of a rank that every key leaves equal",
    "RW0836": "dice of a rank that always fall alike",
}
"""Faults that an operation or a `Fail` may raise, by code.

Those of loops, jumps and calls beyond their bounds (RW0811 to RW0813), of `Unwind` (RW0819) and of limits belong to the
forms.
"""

Size = Literal["", "work", "members", "digits"]
"""What an operation is charged for beside its line: nothing; the members that it visits; the members of the collection
that it makes; the digits of a number without bounds."""


@dataclass(frozen=True, slots=True)
class Operation:
    """Meaning of an operation: its arguments by name with its constants in brackets, and what it gives."""

    arguments: str
    meaning: str
    faults: tuple[str, ...] = ()
    size: Size = ""
    reads: str = ""  # what of the store it reads beside its arguments: `dice`, `board`, `attributes of bodies` …
    takes_random_values: bool = False  # whether it works on dice that are not thrown yet, as on numbers


OPERATIONS: Mapping[str, Operation] = {
    # Numbers.
    "add": Operation("a, b", "their sum", size="digits", takes_random_values=True),
    "subtract": Operation("a, b", "their difference", size="digits", takes_random_values=True),
    "multiply": Operation("a, b", "their product", size="digits", takes_random_values=True),
    "divide": Operation("a, b", "their exact quotient", ("RW0804",), size="digits", takes_random_values=True),
    "negate": Operation("a", "its negative", takes_random_values=True),
    "absolute": Operation("a", "its absolute value", takes_random_values=True),
    "floor": Operation("a", "the greatest whole number not above it", takes_random_values=True),
    "ceiling": Operation("a", "the least whole number not below it", takes_random_values=True),
    "round": Operation("a", "the nearest whole number, halves away from zero", takes_random_values=True),
    "least": Operation("a, b, …", "the least of them", takes_random_values=True),
    "greatest": Operation("a, b, …", "the greatest of them", takes_random_values=True),
    "count of": Operation("members", "how many there are"),
    "shift word": Operation("word, steps [last]", "the word so many places on, stopping at the ends of its list"),
    # Tests.
    "equal": Operation("a, b", "whether they are the same", size="work", takes_random_values=True),
    "less": Operation("a, b", "whether a is less", takes_random_values=True),
    "at most": Operation("a, b", "whether a is not more", takes_random_values=True),
    "more": Operation("a, b", "whether a is more", takes_random_values=True),
    "at least": Operation("a, b", "whether a is not less", takes_random_values=True),
    "not": Operation("a", "the other flag", takes_random_values=True),
    "in": Operation("a, members", "whether it is one of them", size="work"),
    # Collections.
    "set": Operation("a, b, …", "the set of them"),
    "list": Operation("a, b, …", "the list of them"),
    "bag": Operation("a, b, …", "the bag of them"),
    "tuple": Operation("a, b, …", "a tuple or record of them"),
    "map": Operation("default", "a map without entries"),
    "interval": Operation("low, high", "the list of the whole numbers from low to high", size="members"),
    "keys": Operation("map", "the keys of its entries, in order"),
    "part": Operation("a [position]", "a part of a record or tuple, from 0"),
    "entry": Operation("map, key", "the value of a key"),
    "answer entry": Operation("map, player", "the answer of a player who was asked", ("RW0802",)),
    "item": Operation("list, position", "the member at a position, from 1", ("RW0806",)),
    "with part": Operation("a, new [position]", "a record or tuple with one part replaced"),
    "with entry": Operation("map, key, new", "a map with one entry replaced"),
    "with item": Operation("list, position, new", "a list with one member replaced", ("RW0806",)),
    "with member": Operation("set, a", "a set with a member more", size="members"),
    "appended": Operation("list, a", "a list or deck with a member more at the end", size="members"),
    "bag with": Operation("bag, a", "a bag with a member more", size="members"),
    "without": Operation("members, a", "a collection without the first such member, if it has one"),
    "taken": Operation("members, a", "a collection without a member that it must have", ("RW0821",)),
    "union": Operation("a, b", "the set of the members of both", size="members"),
    "difference": Operation("a, b", "the set of the members of a that are not in b", size="members"),
    "joined": Operation("a, b", "a list or deck followed by another", size="members"),
    "list difference": Operation("a, b", "a list with each member of b taken out once", size="members"),
    "bag union": Operation("a, b", "the bag of the members of both", size="members"),
    "bag difference": Operation("a, b", "a bag with each member of b taken out once", size="members"),
    "position": Operation("a, list", "its position in the list, from 1", ("RW0806",), size="work"),
    "other": Operation("a, pair", "the other member of a set of two", ("RW0817",)),
    "sorted": Operation("members", "the list of them, greatest first", size="work"),
    "starting with": Operation("list, a", "the list turned to begin with a", size="work"),
    "pairs": Operation("a, b", "all pairs of a member of each", size="members"),
    "narrow": Operation("a [type]", "itself, if it belongs to a narrower type", ("RW0801", "RW0802")),
    # Things and boards.
    "gone among": Operation("things [kind]", "those of them that are out of play", reads="gone"),
    "occupants": Operation("cell [kind]", "the things in play on a cell", size="work", reads="at, gone"),
    "connected": Operation("a, related [kind]", "all that is linked with it, itself too; of a kind, or cells", size="work", reads="gone"),
    "on board": Operation("cell", "whether it is none or a cell of a board", reads="board"),
    "on plane": Operation("point", "whether it is none or within the edges of the plane", reads="board"),
    "cell": Operation("x, y", "the cell with these coordinates"),
    "step": Operation("cell, direction [space]", "the next cell that way"),
    "distance": Operation("a, b [space]", "steps from cell to cell", ("RW0822",)),
    "adjacent": Operation("a, b [space]", "whether two cells are neighbours", ("RW0822",)),
    "direction": Operation("a, b [space]", "the direction from cell to cell", ("RW0806", "RW0822")),
    "neighbours": Operation("cell [space]", "the neighbouring cells on the board", ("RW0822",), reads="board"),
    "rear cells": Operation("cell, facing [space]", "the cells behind, on the board", ("RW0822",), reads="board"),
    "destinations": Operation(
        "start, enter, end [board, space, spent counts, moves count]",
        "the cells to which a way leads: `enter` gives for a move the price so far and whether it halts, or none; `end` "
        "whether a way may end there, or none if no row decides",
        size="work",
        reads="board",
    ),
    # The plane. Bodies are things of a kind, poses, points and polygons. [sorts, places] are the types of two of
    # them, and the places of the store that are read of them.
    "gap": Operation("a, b [sorts, places]", "the gap between two bodies", ("RW0822",), reads="bodies"),
    "plane distance": Operation("a, b [sorts, places]", "the distance between their centres", ("RW0822",), reads="bodies"),
    "bearing": Operation("a, b [sorts, places]", "the direction from one to the other", ("RW0806", "RW0822"), reads="bodies"),
    "segment": Operation("a, b [sorts, places]", "the line between their centres", ("RW0822",), reads="bodies"),
    "contact": Operation("a, b [sorts, places]", "whether they touch or overlap", ("RW0822",), reads="bodies"),
    "touches": Operation("a, b [sorts, places]", "whether they touch", ("RW0822",), reads="bodies"),
    "overlaps": Operation("a, b [sorts, places]", "whether they overlap", ("RW0822",), reads="bodies"),
    "aboard": Operation("a, b [sorts, places]", "whether one lies on the other", ("RW0822",), reads="bodies"),
    "crosses": Operation("a, b [sorts, places]", "whether a line crosses a body", ("RW0822",), reads="bodies"),
    "in arc": Operation("a, b, … [sorts, places]", "whether one lies in an arc of the other", ("RW0822",), reads="bodies"),
    "sees": Operation("a, b, … [sorts, places]", "whether nothing stands between them", ("RW0822",), reads="bodies"),
    "edge": Operation("body, … [sorts, places]", "an edge of a body", ("RW0822",), reads="bodies"),
    "fits": Operation("pose [places]", "whether a base fits at a pose", reads="bodies"),
    "point": Operation("x, y", "a point"),
    "pose": Operation("thing [kind]", "the pose of a thing", ("RW0822",), reads="at, facing"),
    "coordinate": Operation("point [axis]", "its coordinate on the axis 0 or 1"),
    "to thousandths": Operation("number", "a length, rounded to what it holds"),
    "to angle": Operation("number", "an angle from 0 to below 360, rounded to what it holds"),
    "poses": Operation("thing [places]", "all poses of a thing on the plane; only a source of `Over`", reads="bodies"),
    # Dice.
    "kept dice": Operation("pool", "the dice that count, in order; a reroll leaves them so"),
    "die": Operation("die [attribute]", "`natural`, `face`, `first`, `rerolls`, `part` or `name`", reads="dice"),
    "total": Operation("dice", "the sum of a pool, or the face of a die", reads="dice", takes_random_values=True),
    "highest face": Operation("die", "the highest face that it has", reads="dice"),
    "numbered faces": Operation("count", "the faces from 1"),
    # Ranks: an order of members, in which neighbours may still be tied.
    "rank": Operation("members", "a rank in which all are tied"),
    "tied": Operation("rank", "the members tied with another, from head to tail"),
    "split": Operation("rank, values [key, highest]", "the rank with tied members parted by their values"),
    "one owner": Operation("owners", "the only player among them, or none"),
    "ranked": Operation("rank", "its members in the order so far"),
    "row": Operation("rank, owners", "the next row of one owner to be ordered, as (owner, members), or none",
                     ("RW0835",)),
    "past row": Operation("rank, owners", "the rank behind that row; behind the last nobody is tied"),
    "with row": Operation("rank, members [key]", "the rank with that row in this order"),
    "ranking": Operation("rank", "the list of its members", ("RW0835",)),
    # Windows.
    "turn order": Operation("players, listed", "the players in the order listed, then the others in theirs"),
}  # fmt: skip
