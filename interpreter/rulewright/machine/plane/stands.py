"""Where the working memory keeps what stands on the plane."""

from dataclasses import dataclass
from typing import Any

from rulewright.program.declarations import Program
from rulewright.program.plane import POLYGON, bases, has_base, has_place, outlines, types_of


@dataclass(frozen=True, slots=True)
class Stand:
    """Where the working memory keeps what the things of a kind need to stand on the plane; none for what they lack.

    Attributes:
        kind: theirs.
        gone: which of them are out of play.
        in_play: those in play.
        at: where their middles are.
        facing: where they face.
        base: what they stand on.
        columns: all of these together.
    """

    kind: str
    gone: int
    in_play: int
    at: int
    facing: int | None
    base: int | None
    columns: tuple[int, ...]


def stand(program: Program, kind: str, places: Any) -> Stand | None:  # noqa: ANN401
    """How things of a kind stand on the plane; none where they do not."""
    declared = program.kinds[kind]
    if not has_place(declared):
        return None
    gone, in_play, at = places.gone[kind], places.in_play[kind], places.columns[f"{kind}/at"]
    facing = places.columns.get(f"{kind}/facing")
    base = places.columns[f"{kind}/base"] if has_base(declared) else None
    columns = tuple(each for each in (gone, in_play, at, facing, base) if each is not None)
    return Stand(kind, gone, in_play, at, facing, base, columns)


def stands(program: Program, places: Any) -> tuple[Stand, ...]:  # noqa: ANN401
    """How the things of all kinds with a base stand."""
    found = (stand(program, kind, places) for kind in bases(program.kinds))
    return tuple(each for each in found if each is not None)


def walls(program: Program, places: Any) -> tuple[tuple[int, int], ...]:  # noqa: ANN401
    """Where the working memory keeps what is in play and its outline, for every kind with a polygon."""
    return tuple(
        (places.in_play[kind], places.columns[f"{kind}/{name}"])
        for kind, name in outlines(program.kinds)
        if types_of(program.kinds[kind])[name] == POLYGON
    )
