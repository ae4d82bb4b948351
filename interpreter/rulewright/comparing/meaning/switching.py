"""Branches on one value, as the subset of its values for which each is taken."""

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from rulewright.comparing.meaning.subsets import Subset
from rulewright.frozen import dataclass
from rulewright.program.expressions import Expression

_Way = TypeVar("_Way")
Arm = tuple[Subset, _Way]


@dataclass(frozen=True, slots=True)
class Branches(Generic[_Way]):
    """A condition with what comes of it, and what else."""

    condition: Expression
    then: _Way
    otherwise: _Way


@dataclass(frozen=True, slots=True)
class Switching(Generic[_Way]):
    """Finds such branches.

    Attributes:
        subset: what a condition on one value comes to.
        key: the same for ways that are the same.
        opened: the branches that a way consists of; none where it is no such thing.
    """

    subset: Callable[[Expression], Subset | None]
    key: Callable[[Any], Any]
    opened: Callable[[_Way], Branches[_Way] | None]

    def arms(self, branches: Branches[_Way]) -> list[Arm[_Way]] | None:
        """Each way once, with the values for which it is taken; none where not one value decides."""
        subset = self.subset(branches.condition)
        if subset is None:
            return None
        found: list[Arm[_Way]] = []
        for way, values in ((branches.then, subset), (branches.otherwise, subset.opposite)):
            for each, inner in self._inside(way, subset) or [(values, way)]:
                self._add(found, inner, each.joined(values, "and"))
        return [(each, way) for each, way in found if each.pieces]

    def _inside(self, way: _Way, outer: Subset) -> list[Arm[_Way]] | None:
        opened = self.opened(way)
        arms = None if opened is None else self.arms(opened)
        one = bool(arms) and self.key(arms[0][0].subject) == self.key(outer.subject)  # type: ignore[index]
        return arms if one else None

    def _add(self, found: list[Arm[_Way]], way: _Way, values: Subset) -> None:
        same = next((at for at, (_, known) in enumerate(found) if self.key(known) == self.key(way)), None)
        if same is None:
            found.append((values, way))
        else:
            found[same] = found[same][0].joined(values, "or"), way

    def joined(self, branches: Branches[_Way]) -> tuple[str, Branches[_Way], bool] | None:
        """Branches that lead the same way as one: `and` or `or`, the inner ones, whether these are turned round."""
        inner = self.opened(branches.otherwise)
        if inner is not None and self.key(branches.then) in {self.key(inner.then), self.key(inner.otherwise)}:
            return "or", inner, self.key(branches.then) != self.key(inner.then)
        inner = self.opened(branches.then)
        if inner is not None and self.key(branches.otherwise) in {self.key(inner.then), self.key(inner.otherwise)}:
            return "and", inner, self.key(branches.otherwise) != self.key(inner.otherwise)
        return None


def in_order(arms: Sequence[Arm[_Way]], is_idle: Callable[[_Way], bool]) -> list[Arm[_Way]]:
    """The branches in the order of the values, one that does nothing last."""
    return sorted(arms, key=lambda arm: (is_idle(arm[1]), arm[0].pieces[0][0] is not None, arm[0].pieces[0][0] or 0))
