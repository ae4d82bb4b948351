"""What shifts: how likely each value is at the end of a play, before a change and after it."""

from fractions import Fraction

from rulewright.frozen import dataclass
from rulewright.odds.estimates import Estimate


@dataclass(frozen=True, slots=True)
class Share:
    """How likely a value is, or at least is where not all plays were followed."""

    value: str  # as people say it
    old: Fraction
    new: Fraction


@dataclass(frozen=True, slots=True)
class Shift:
    """What becomes of one thing that is asked of the end of a play."""

    of: str  # what is asked, as it is written for the old revision
    is_flag: bool  # whether its values are yes and no
    shares: tuple[Share, ...]  # of every value in either, in order
    means: tuple[Fraction, Fraction] | None  # of numbers; none where a play has no value
    # the shares of plays that were not followed, of the old and the new: each value may be as much likelier
    open: tuple[Fraction, Fraction] = (Fraction(0), Fraction(0))

    @property
    def is_open(self) -> bool:
        """Whether likelihoods are known between bounds only."""
        return any(self.open)

    @property
    def is_any(self) -> bool:
        """Whether any value is surely likelier or less likely than before."""
        old, new = self.open
        return any(each.old > each.new + new or each.new > each.old + old for each in self.shares)

    @property
    def most(self) -> Share:
        """The value whose likelihood shifts most; of a flag `yes`."""
        if self.is_flag:
            yes = next((each for each in self.shares if each.value == "yes"), None)
            if yes is not None and yes.old != yes.new:
                return yes
        return max(self.shares, key=lambda each: abs(each.new - each.old))


@dataclass(frozen=True, slots=True)
class Told:
    """What is known of one play before and after."""

    shifts: tuple[Shift, ...] = ()  # of everything that is asked of it, in order
    unknown: tuple[tuple[str, str], ...] = ()  # what is not known: what is asked, empty for all of it, and why
    decided: bool = False  # whether a policy chose for players
    unasked: bool = False  # whether nothing was asked of it

    @property
    def is_any(self) -> bool:
        """Whether anything shifts."""
        return any(each.is_any for each in self.shifts)


@dataclass(frozen=True, slots=True)
class Alone:
    """What some of the edits do to a play when nothing else is changed."""

    edits: tuple[int, ...]  # their numbers
    told: Told


@dataclass(frozen=True, slots=True)
class Situation:
    """A play that scenarios begin, and what becomes of it."""

    names: tuple[str, ...]  # of the scenarios, with their files
    told: Told  # what all edits do together
    own_policy: bool = False  # whether a scenario says who decides
    alone: tuple[Alone, ...] = ()  # what each does by itself, as far as they were told apart


@dataclass(frozen=True, slots=True)
class Shifts:
    """What a new revision does to the odds."""

    situations: tuple[Situation, ...]  # in the order of the scenarios
    policy: str  # who chose where no scenario says it; or empty
    moments: int  # how many moments of play were followed
    left_out: tuple[str, ...] = ()  # declared measures that were not asked for: what they take has too many values
    whole: str = ""  # why edits were not told apart; empty where they were, or are one
    proved: bool = False  # whether nothing can shift, since both revisions are proved to play alike
    unvisited: tuple[str, ...] = ()  # where nothing shifts: new steps to which no play comes that was followed whole

    @property
    def shifted(self) -> tuple[Situation, ...]:
        """The situations in which anything shifts."""
        return tuple(each for each in self.situations if each.told.is_any)

    @property
    def unknown(self) -> tuple[Situation, ...]:
        """The situations of which anything that is asked is not known."""
        return tuple(each for each in self.situations if each.told.unknown)

    @property
    def bounded(self) -> tuple[Situation, ...]:
        """The situations in which bounds do not tell whether anything shifts."""
        return tuple(each for each in self.unknown if any(one.is_open and not one.is_any for one in each.told.shifts))

    @property
    def unasked(self) -> int:
        """In how many nothing is asked."""
        return sum(each.told.unasked for each in self.situations)

    @property
    def shows_change(self) -> bool:
        """Whether the rules alone shift something, no policy that chooses for players."""
        return any(not each.told.decided for each in self.shifted)


@dataclass(frozen=True, slots=True)
class Sized:
    """How much is to be followed of one revision in one situation, or why nobody can; neither where it cannot begin."""

    estimate: Estimate | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Estimated:
    """A play that scenarios begin, and how much of it is to be followed."""

    names: tuple[str, ...]  # of the scenarios, with their files
    old: Sized | None = None  # none where neither revision is asked
    new: Sized | None = None  # none where the new one is not asked
    why: str = ""  # why neither is asked
    unasked: bool = False  # whether nothing is asked of it
