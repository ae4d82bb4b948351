"""Limits of a run; each has a code of its own."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may use at most.

    Attributes:
        work: lines and rounds run, members of collections visited, calls (RW0901).
        depth: calls, windows and settlings inside each other (RW0902).
        members: size of one collection (RW0903).
        dice: dice of one roll (RW0904).
        size: members of the collections that are made, words of numbers, and entries of the trace times ten (RW0851).
        nodes: nodes searched for the legal answers of a pick, split or order; beyond it an answer counts as possible.
        claim: nodes searched where a player claims that there is no legal answer.
        forced: whether a traced run asks also where one answer alone is legal, to show what would be refused.
        put: sites at which a traced run asks also where one answer alone is legal.
    """

    work: int = 5_000_000
    depth: int = 200
    members: int = 100_000
    dice: int = 1_000
    size: int = 10_000_000
    nodes: int = 10_000
    claim: int = 10_000_000
    forced: bool = False
    put: frozenset[int] = frozenset()

    def insist(self, site: int) -> bool:
        """Whether a traced run asks at a site even where one answer alone is legal."""
        return self.forced or site in self.put
