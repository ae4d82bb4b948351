"""A compiled program."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from rulewright.machine.changing import Changing
from rulewright.machine.concealed import Concealed
from rulewright.machine.layout import Layout
from rulewright.machine.liveness import Liveness
from rulewright.machine.relevance import Relevance
from rulewright.machine.source_point import Site
from rulewright.machine.world import Places, Tables
from rulewright.program import statements as st
from rulewright.program.declarations import Program
from rulewright.program.types import NUMERIC, PLAYER, DieType, PoolType, ThingType, Type
from rulewright.program.walk import bound_in_secret, every, lines_of, may_hold, shared_address
from rulewright.program.wording import Wording


@dataclass(frozen=True, slots=True)
class Columns:
    """Where in the working memory values lie."""

    numbers: tuple[int, ...]  # attributes of things that are numbers
    others: tuple[int, ...]  # all other ones
    number: tuple[int, ...]  # fields of the game that are numbers
    other: tuple[int, ...]  # all other ones


@dataclass(frozen=True, eq=False)
class Executable:
    """A compiled program, shared by all its plays."""

    program: Program  # what was compiled
    layout: Layout  # names of the parts of its states
    places: Places  # where these lie in the working memory
    traced: bool  # whether runs are recorded
    source: str = field(repr=False)  # the generated Python, for reading
    lines: tuple[int, ...] = field(repr=False)  # for every line of the source, from 1, the number of its site
    functions: dict[str, Any] = field(repr=False)  # what the source defines, by name
    blocks: tuple[Callable[..., int] | None, ...] = field(repr=False)  # blocks by number
    tables: Tables = field(repr=False)  # what the engine knows of the program
    # numbers of the functions that explain a decision, by its address; only in a traced one
    explained: dict[str, int] = field(repr=False)
    measures: dict[str, Callable[..., Any]] = field(repr=False)  # functions of the measures, by name
    # the starts used last, by identity, with working memories to copy; a cache
    starts: dict[int, tuple[Any, ...]] = field(default_factory=dict, repr=False)
    # what is kept of it by whoever works with it again and again, by what it is; a cache
    kept: dict[Any, Any] = field(default_factory=dict, repr=False)
    # whether players take dice that look alike for the same when they choose some, so that futures are equal more often
    even: bool = False

    @property
    def sites(self) -> tuple[Site, ...]:
        """Places that something happens at, by number."""
        return self.tables.sites

    @cached_property
    def asking(self) -> tuple[tuple[str, bool], ...]:
        """By number of a place, the sort of the request made there, or empty, and whether dice may answer it.

        It is empty where the data of the request say its sort. The last pair is for values of external terms, at -1.
        """
        return (*((each.asks, self._names_dice(each.node)) for each in self.sites), ("", False))

    def _names_dice(self, asked: object) -> bool:
        if isinstance(asked, st.Ask):
            return may_hold(asked.variable.type, (DieType, PoolType), self.program)
        return isinstance(asked, st.RankKey)

    @cached_property
    def plainly_asked(self) -> tuple[str, ...]:
        """By number of a place, the sort of the request made there; empty where its data say it, or dice answer it."""
        return tuple("" if names_dice else sort for sort, names_dice in self.asking)

    @cached_property
    def lines_asked(self) -> tuple[str, ...]:
        """By number of a place, the address of its line without numbers (`shared_address`)."""
        return tuple(shared_address(each.address) for each in self.sites)

    @cached_property
    def rerolling(self) -> frozenset[int]:
        """Places where dice are thrown again."""
        return frozenset(each.number for each in self.sites if isinstance(each.node, st.Reroll))

    @cached_property
    def with_policies(self) -> frozenset[int]:
        """Places where questions are asked for which players have policies of their own."""
        return frozenset(each.number for each in self.sites if each.policies)

    @cached_property
    def concealed(self) -> Concealed:
        """What nobody may look into."""
        return Concealed(self.program)

    @cached_property
    def withheld(self) -> frozenset[int]:
        """Sites of questions whose options, or whose answers, are for one player alone."""
        asked = (each for each in self.sites if isinstance(each.node, st.Ask))
        return frozenset(each.number for each in asked if self.concealed.withheld(each.node))

    @cached_property
    def loop_members(self) -> dict[int, tuple[tuple[int, Type], ...]]:
        """Things that the loops around a question are at: by identity of its line, number and type of each name.

        Players, and members of what nobody may look into, are left out.
        """
        found: dict[int, tuple[tuple[int, Type], ...]] = {}
        for loop in lines_of(self.program, st.ForEach):
            if self.concealed.looks(loop.binding.source):
                continue
            members = tuple(
                (each.index, each.type)
                for each in loop.binding.variables
                if each is not None and isinstance(each.type, ThingType) and each.type != PLAYER
            )
            for line in every(loop.block):
                if members and isinstance(line, st.Ask):
                    found[id(line)] = (*found.get(id(line), ()), *members)
        return found

    @cached_property
    def secrets(self) -> dict[int, tuple[str, bool]]:
        """By site, the name of an answer, and whether from there on only its player knows it (yes) or all do (no)."""
        asked = {
            each.number: (f"{each.routine}/{name.name}", True)
            for each in self.sites
            if each.sort in {"answer", "roll"} and (name := bound_in_secret(each.node)) is not None
        }
        shown = {each.number: (f"{each.routine}/{each.title}", False) for each in self.sites if each.sort == "revealed"}
        return {**asked, **shown}

    @cached_property
    def liveness(self) -> Liveness:
        """What frames may still read."""
        return Liveness(self.program, self.tables.flows, even=self.even)

    @cached_property
    def evened(self) -> "Executable":
        """The same, whose players take dice that look alike for the same, unless one judges answers by a policy."""
        return self if self.even or self.with_policies else replace(self, even=True)

    @cached_property
    def changing(self) -> Changing:
        """What runs may still change."""
        return Changing(self.program, self.tables.flows, self.liveness)

    @cached_property
    def relevance(self) -> Relevance:
        """What the ends of plays may hang on."""
        return Relevance(self.program, self.liveness)

    @cached_property
    def columns(self) -> Columns:
        """Where things and the game keep numbers, and where anything else."""
        columns, game, types = self.places.columns, self.places.game, self.layout.types
        return Columns(
            tuple(at for name, at in columns.items() if isinstance(types[name], NUMERIC)),
            tuple(at for name, at in columns.items() if not isinstance(types[name], NUMERIC)),
            tuple(at for name, at in game.items() if isinstance(types[f"game/{name}"], NUMERIC)),
            tuple(at for name, at in game.items() if not isinstance(types[f"game/{name}"], NUMERIC)),
        )

    @cached_property
    def wording(self) -> Wording:
        """Texts of expressions."""
        return Wording(self.program)

    @cached_property
    def entries(self) -> dict[str, int]:
        """The graph of every procedure, by name."""
        return {
            each.name: number for number, each in enumerate(self.tables.flows) if each.key == f"procedure:{each.name}"
        }
