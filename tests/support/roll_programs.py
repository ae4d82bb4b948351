"""Rolls made at random: every sort of dice, with options of parts beside options of the whole, in any order."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

PARTS = ("red", "blue")
"""Words that parts are called by; a text that rolls such dice declares them."""
NAMED = ("none", "none", "all", "some")
"""Which parts of a roll have names."""


@dataclass(frozen=True)
class RollWriter:
    """Rolls that may all give one name: their largest dice have the same faces, and as many of their parts names."""

    draw: Random
    sides: int | str  # of the largest dice: a number, 66 for tens and units, or the name of a declared die of 1 to 3
    named: str = "none"  # whether none, all or some parts have names
    most: int = 3  # dice of a part
    numbers: Sequence[str] = field(default=())  # expressions that a number may be computed from
    endless: bool = True  # whether explosions may have no limit

    def write_plain_roll(self) -> str:
        """What is written after `roll` for a pool of one sort of dice without options."""
        return f"{self._write_count(self.most)} of {self._make_die(self.sides)[1]}"

    def write_single_die(self) -> str:
        """What is written after `roll` for a die that is named alone."""
        said = self.draw.choice(("", "", "", " with advantage 1", " with advantage -2", " keep highest 1"))
        return f"{self._make_die(self.sides)[1]}{said}"

    def write_pool(self) -> str:
        """What is written after `roll` for a pool: one part or several, with options or without."""
        draw = self.draw
        many = draw.choice((1, 1, 1, 2, 2, 3)) if self.named != "some" else draw.choice((2, 3))
        if self.named == "none" and many == 1 and draw.random() < 0.8:
            faces, thrown = self._choose_largest_die()
            return f"{self._write_count(self.most)} of {thrown}{self.write_options(self.most, faces)}"
        parts, shared, largest, few = [], self._choose_largest_die()[0], draw.randrange(many), max(1, self.most - 1)
        for number in range(many):
            is_named = self.named == "all" or (
                self.named == "some" and (number == 0 or (number > 1 and draw.random() < 0.5))
            )
            name = f"{draw.choice(PARTS)}: " if is_named else ""
            faces, thrown = self._choose_largest_die() if number == largest else self._write_smaller_die()
            shared = [each for each in shared if each in faces]
            said = self.write_options(few, faces) if draw.random() < 0.6 else ""
            parts.append(f"{name}{self._write_count(few)} of {thrown}{said}")
        said = self.write_options(self.most, shared, advantage=False) if draw.random() < 0.6 else ""
        return f"[{', '.join(parts)}]{said}"

    def write_options(self, most: int, faces: Sequence[int], *, advantage: bool = True) -> str:
        """Up to three options of dice, in any order; what is kept, dropped or added may be computed."""
        draw, found = self.draw, []
        for _ in range(draw.choice((0, 1, 1, 1, 2, 2, 3))):
            sort = draw.choice(("keep", "keep", "drop", "drop", "explode", "explode", "advantage"))
            if sort in {"keep", "drop"}:
                number = self._write_number(int(sort == "keep"), most)
                found.append(f"{sort} {draw.choice(('highest', 'lowest'))} {number}")
            elif sort == "explode":
                face = draw.choice(faces)
                limit = (
                    "without limit"
                    if self.endless and len(faces) > 3 and draw.random() < 0.1
                    else f"at most {self._write_number(1, 2)}"
                )
                at_least = f"{faces[-1] if limit == 'without limit' else max(faces[1], face)}+"
                found.append(f"explode on {draw.choice((str(face), at_least))} {limit}")
            elif advantage and not any(each.startswith("with advantage") for each in found):
                found.append(
                    f"with advantage {draw.choice(('-2', '-1', '0', '1', '2', f'{self._write_number(0, 2)} - 1'))}"
                )
        return "".join(f" {each}" for each in found)

    def _write_number(self, low: int, high: int) -> str:
        if self.numbers and self.draw.random() < 0.2:
            return f"min({high}, {self.draw.choice(self.numbers)})"
        return str(self.draw.randint(low, high))

    def _write_count(self, most: int) -> str:
        if self.numbers and self.draw.random() < 0.3:
            return f"min({most}, {self.draw.choice(self.numbers)})"
        return str(self.draw.randint(1, most))

    def _choose_largest_die(self) -> tuple[Sequence[int], str]:
        """Faces that one of the largest dice has for certain, and how it is written."""
        if isinstance(self.sides, int) and self.sides != 66 and self.draw.random() < 0.1:
            of = f"max(2, min({self.sides}, {self.draw.choice(self.numbers)}))" if self.numbers else self.sides
            return (1, 2), f"die({of})"
        return self._make_die(self.sides)

    def _write_smaller_die(self) -> tuple[Sequence[int], str]:
        """A die that is no larger."""
        if isinstance(self.sides, str) or self.sides == 66:
            return self._make_die(self.sides)
        return self._make_die(self.draw.randint(2, self.sides))

    @staticmethod
    def _make_die(sides: int | str) -> tuple[Sequence[int], str]:
        if isinstance(sides, str):
            return (1, 2, 3), sides
        return (11, 12, 36, 41, 66) if sides == 66 else range(1, sides + 1), f"d{sides}"
