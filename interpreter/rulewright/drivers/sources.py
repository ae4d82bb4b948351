"""Who answers when nobody is asked: a script first, then the dice, then a policy: the first answer, or any."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import cache, partial
from itertools import islice
from random import Random
from typing import Any
from weakref import WeakKeyDictionary

from rulewright.diagnostics import Diagnostic, Severity
from rulewright.drivers.chance import Chance, Streams
from rulewright.frozen import dataclass
from rulewright.inputs.answers import read_answer
from rulewright.inputs.findings import Read
from rulewright.inputs.names import Names
from rulewright.inputs.save import Answered
from rulewright.inputs.script import NONE_LEFT, Before, Script, answered_by_themselves, called
from rulewright.machine.answer_check import normal, witness
from rulewright.machine.executable import Executable
from rulewright.machine.faults import Fault
from rulewright.machine.question import IS_LISTED, Question
from rulewright.machine.request import CHANCE, ELSEWHERE, OF_ITEMS
from rulewright.machine.run import UNANSWERED, Paused
from rulewright.machine.search import Exhausted, answer_at, made_of_items, unrestricted
from rulewright.machine.source_point import LISTED, YES_NO
from rulewright.machine.values import Value
from rulewright.machine.world import CONTROL, duplicate

DECISIONS = frozenset(
    {"whether", "one", "pick", "split", "order", "choose", "turn", "place", "heading", "handlers", "handler", "taker"}
)
JUDGING = frozenset({"highest", "lowest"})
"""Policies that judge answers by an expression."""
_MOST = 10_000
_MOST_SPOTS = 100
_BITS = 60
_TRIES = 1_000
_STREAMS: WeakKeyDictionary[Executable, Streams] = WeakKeyDictionary()


class UnjudgedError(Exception):
    """A policy cannot say which answer to a question is best.

    Attributes:
        diagnostic: why.
    """

    def __init__(self, question: Question, why: str, remedy: str) -> None:
        super().__init__(why)
        message = f"the policy for `{question.address}` does not choose: {why}"
        self.diagnostic = Diagnostic("RW0748", Severity.ERROR, message, help=remedy, address=question.address)


MOST_JUDGED = 100_000
"""So many legal answers of one question are told apart."""


def judged(question: Question) -> tuple[Value] | None:
    """The answer of a policy that judges answers, alone in a tuple; none where no legal answer is found.

    Where a thing is placed or turned on the plane it is the best of the first 100. The question is in a copy of the
    working memory.

    Raises:
        UnjudgedError: an answer cannot be judged, or there are too many.
    """
    if question.sort in {"place", "heading"}:
        every: Sequence[Value] | None = list(islice(question.answers(), _MOST_SPOTS))
    else:
        every = question.legal if question.is_listed else question.every(MOST_JUDGED)
    if every is None:
        why = f"there are more than {MOST_JUDGED:,} legal answers"
        raise UnjudgedError(question, why, "let rows of the question leave fewer, or answer it in a script")
    try:
        return (question.best(every),) if every else _beyond(question)
    except Fault as fault:
        remedy = "write an expression that has a value for every legal answer"
        raise UnjudgedError(question, str(fault), remedy) from None


def policy_for(question: Question, policies: Mapping[int, str], policy: str | None) -> str | None:
    """Who decides a question: its player's policy for it, else that of the player, else that of all."""
    player = question.player
    return question.policy[0] or (policy if player is None else policies.get(player, policy))


def choose(policy: str, question: Question, below: Callable[[int], int]) -> tuple[Value] | None:
    """The answer of a policy to a decision, alone in a tuple; none where no legal answer is found.

    `highest` and `lowest` take what `judged` does, `first` the first. `random` takes each legal answer with equal
    likelihood; where a thing is placed or turned on the plane each of the first 100, and where rows judge more than
    10,000 answers, of which 1,000 drawn are not legal, each that a search finds. Where that was given up without one,
    the first of the whole search is taken, or the claim that there is none.
    `below` draws a number below another.

    Raises:
        UnjudgedError: an answer cannot be judged.
    """
    if policy in JUDGING:
        return judged(question)
    if policy == "random" and question.sort in OF_ITEMS and (many := unrestricted(question.data)) > _MOST:
        if not any(question.data[4:]):
            return (answer_at(question.data, below(many)),)
        draw = Random(below(1 << _BITS))  # noqa: S311 - no secret hangs on it
        tried = (answer_at(question.data, draw.randrange(many)) for _ in range(_TRIES))
        found = made_of_items(question.world, question.frame, question.data).first_of(tried)
        if found is not None:
            return (found,)
    most = 1 if policy == "first" else _MOST_SPOTS if question.sort in {"place", "heading"} else _MOST
    possible = question.legal if question.is_listed else list(islice(question.answers(), most))
    if not possible:
        return _beyond(question)
    return (possible[0] if policy == "first" or len(possible) == 1 else possible[below(len(possible))],)


def _beyond(question: Question) -> tuple[Value] | None:
    if not question.claimable:
        return None
    try:
        return (witness(question),)
    except Exhausted:
        return None


@dataclass(frozen=True, slots=True)
class Given:
    """An answer and where it came from."""

    value: Value  # the answer
    # `script`, `dice`, `policy`, `person`, `typed` (dice of a person that led on, and stand) or `kept` (seen before an
    # undo)
    source: str


@dataclass(frozen=True, slots=True)
class Sources:
    """Sources of answers, as they are at one moment."""

    names: Names  # of the play
    chance: Chance  # for dice and for a policy that needs it
    script: Script | None = None  # answers not yet taken, or none
    rolls: bool = True  # whether dice come from `chance`; else people roll
    insisted: bool = False  # whether chance was asked for, so that a script in order may leave it out
    policy: str | None = None  # who decides, or none where people do
    # what was seen before an undo, to be seen again where the same is asked: what chance showed, and answers that were
    # revealed; those of the source `person` are dice that somebody is to type anew
    kept: tuple[Answered, ...] = field(default=())
    policies: Mapping[int, str] = field(default_factory=dict)  # of players who have one of their own, by number
    elsewhere: "Elsewhere | None" = None  # what comes of externals, or none where people say it
    told: str = ""  # all policies as they were written, where there are others than that of all

    def answer(self, paused: Paused, occasion: int, before: Before) -> "Reply":
        """What the sources say to a request that was put so often before; `before` is what has answered itself."""
        said = self._from_script(paused, before)
        if said.given is not None or (said.wrong and not self.may_pass(said.wrong[0], paused.asked)):
            return said
        return said.rest.unscripted(paused, occasion) or said

    def unscripted(self, paused: Paused, occasion: int) -> "Reply | None":
        """What all but a script say to a request; none where they say nothing."""
        answered = self._from_kept(paused) or self._from_chance(paused.asked, occasion)
        return answered or self._from_policy(paused, occasion) or self._from_elsewhere(paused, occasion)

    def _from_script(self, paused: Paused, before: Before) -> "Reply":
        if self.script is None:
            return Reply(None, (), self)
        script = self.script.past(before, called(paused.request), self.names)
        if isinstance(script, Diagnostic):
            return Reply(None, (script,), self)
        taken = script.next_for(paused.request, self.names)
        if isinstance(taken, Diagnostic):
            return Reply(None, (taken,), self if script is self.script else replace(self, script=script))
        read = read_answer(paused.request, taken.answer, self.names, paused)
        rest = replace(self, script=taken.rest)
        if read.diagnostics:
            notes = answered_by_themselves(before) if script.ordered else ()
            wrong = tuple(replace(each, notes=(*each.notes, *notes)) for each in read.diagnostics)
            return Reply(None, wrong, rest)
        return Reply(Given(read.value, "script"), (), rest)

    def may_pass(self, wrong: Diagnostic, asked: Question) -> bool:
        """Whether the next source may answer what the script does not."""
        if wrong.code == NONE_LEFT:
            return True
        return wrong.code == "RW0745" and self.insisted and asked.sort in CHANCE

    def _from_kept(self, paused: Paused) -> "Reply | None":
        for index, each in enumerate(self.kept):
            if each.source != "kept" or not self._is_asked(each, paused.asked):
                continue
            found = read_answer(paused.request, each.answer, self.names, paused)
            if not found.diagnostics:
                rest = replace(self, kept=self.kept[:index] + self.kept[index + 1 :])
                return Reply(Given(found.value, "kept"), (), rest)
        return None

    def _is_asked(self, kept: Answered, asked: Question) -> bool:
        """Whether a request asks again for what is kept; who rolls is no matter."""
        same = asked.sort in CHANCE or kept.by == self.names.player(asked.player)
        return same and kept.at == asked.address

    def _from_chance(self, asked: Question, occasion: int) -> "Reply | None":
        if asked.sort not in CHANCE or not self.rolls:
            return None
        return Reply(Given(fallen(asked, occasion, self.chance), "dice"), (), self)

    def _from_policy(self, paused: Paused, occasion: int) -> "Reply | None":
        policy = policy_for(paused.asked, self.policies, self.policy)
        if policy is None or paused.asked.sort not in DECISIONS:
            return None
        question = paused.asked if paused.asked.is_listed and policy not in JUDGING else paused.question
        try:
            chosen = choose(policy, question, partial(self.chance.below, question.line, occasion))
        except UnjudgedError as error:
            return Reply(None, (error.diagnostic,), self)
        return None if chosen is None else Reply(Given(chosen[0], "policy"), (), self)

    def _from_elsewhere(self, paused: Paused, occasion: int) -> "Reply | None":
        if self.elsewhere is None or paused.asked.sort not in ELSEWHERE:
            return None
        found = self.elsewhere(paused, occasion, self.chance)
        if found is None or found.diagnostics:
            return None if found is None else Reply(None, found.diagnostics, self)
        return Reply(Given(found.value, "dice"), (), self)


Elsewhere = Callable[[Paused, int, Chance], Read[Value] | None]
"""What an external gives on an occasion, or what is wrong with that; none where nothing is known of it."""


class AtOnce:
    """What sources answer by the question alone, without a stop: chance, and a policy where the answers are listed.

    Where they first do not, they do not answer any more. With `searched` a policy answers also where its answers have
    to be searched for, of which a play that is to be looked at would not know what was found.
    """

    __slots__ = (
        "_answered",
        "_before",
        "_begun",
        "_chance",
        "_own",
        "_policies",
        "_policy",
        "_rerolled",
        "_root",
        "_sorts",
        "_streams",
    )

    def __init__(self, sources: Sources, executable: Executable, *, searched: bool = False) -> None:
        alone = sources.script is None and not sources.kept
        self._own = executable.with_policies
        decided = alone and (sources.policy is not None or bool(sources.policies) or bool(self._own))
        self._sorts = _answered(alone and sources.rolls, decided, searched)
        self._policy = sources.policy
        self._policies = sources.policies
        self._streams = _STREAMS.get(executable) or _STREAMS.setdefault(executable, Streams(executable.lines_asked))
        self._rerolled = executable.rerolling
        self.begin(sources.chance)

    def begin(self, chance: Chance) -> None:
        """Answers a play from its beginning, with another chance."""
        self._answered = self._sorts
        self._chance = chance
        self._root = chance.root
        self._begun = self._streams.begun(self._root) if self._answered else ()
        self._before = [0] * self._streams.lines

    def answer(self, asked: Question) -> Any:  # noqa: PLR0911 - one for each way in which it is found
        """The answer, or `UNANSWERED`."""
        sort, site, data, before = asked.sort, asked.site, asked.data, self._before
        if sort not in self._answered:
            self._answered = frozenset()
            return UNANSWERED
        line = self._streams.numbers[site]
        occasion = before[line]
        if sort == "roll":
            if site in self._rerolled:
                alike: Any = asked.alike
            elif data[2]:
                return fallen(asked, occasion - 1, self._chance)
            else:
                alike = data[0][0] if len(data[0]) == 1 else None
            before[line] = occasion + 1
            found = alike and self._streams.faces(self._root, self._begun, site, occasion, alike[0], alike[1])
            return fallen(asked, occasion, self._chance) if found is None else found
        before[line] = occasion + 1
        if sort in CHANCE:
            return fallen(asked, occasion, self._chance)
        player = asked.player
        policy = self._policy if player is None else self._policies.get(player, self._policy)
        if policy is None or sort not in IS_LISTED or site in self._own:
            return self._searched(asked, occasion, policy)
        legal = (data or YES_NO) if sort == "whether" else data if sort in LISTED else asked.legal
        many = len(legal)
        if many == 1 or policy == "first":
            return legal[0]
        return legal[self._streams.below(self._root, self._begun, site, occasion, many)]

    def _searched(self, asked: Question, occasion: int, policy: str | None) -> Any:
        """What a policy finds where the answers are not listed; looking costs the play nothing of its limits."""
        question = Question(asked.executable, duplicate(asked.world))
        control = question.world[CONTROL]
        control.left, control.room = control.limits.work, control.limits.size
        policy = question.policy[0] or policy
        try:
            chosen = policy and choose(policy, question, partial(self._chance.below, question.line, occasion))
        except (Fault, UnjudgedError):
            chosen = None
        if not chosen:
            self._answered = frozenset()
            return UNANSWERED
        return normal(asked, chosen[0])


@cache
def _answered(chance: bool, policy: bool, searched: bool) -> frozenset[str]:  # noqa: FBT001
    """The sorts of requests that are answered at once."""
    decided = DECISIONS if searched else IS_LISTED
    return (CHANCE if chance else frozenset()) | (decided if policy else frozenset())


def fallen(asked: Question, occasion: int, chance: Chance) -> Value:
    """What chance gives to a roll, draw or shuffle."""
    if asked.sort == "roll":
        return chance.faces(asked.line, occasion, asked.dice, asked.exploded)
    return asked.outcome(chance.below(asked.line, occasion, asked.outcomes))


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, or nothing and why; and the sources after it."""

    given: Given | None
    wrong: tuple[Diagnostic, ...]
    rest: Sources
