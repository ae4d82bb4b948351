"""Rulesets made at random that ask for amounts or cards and take them: at once, in loops, after others."""

from random import Random

from support.reference.ruleset_texts import read_rules

PAYMENT_RULES = read_rules("payment")
RULES = (
    "",
    "",
    """\
whenever hunger for each x in units "Hunger":
  when x.health > x.score and x.score > 7
  priority 1
  lowers sum(each y in units: y.health)
  take 1 from x.health
""",
    """\
whenever levy for each q in players "Levy":
  when q.command = 4
  priority 1
  lowers sum(each y in players: y.command)
  take 1 from q.command
""",
)
QUESTIONS = (
    'ask u.owner for {n} in 0..u.health "How much?"',
    'ask u.owner for {n} in 0..min(2, t.health) "How much?"',
    'ask u.owner for {n} in {{0, 1, 2}} where {n} <= u.health "How much?"',
    'ask all players as {p} for {n} in 0..{p}.command "How much?"',
    'ask all {{u.owner, t.owner}} as {p} for {n} in 0..{p}.command "How much?"',
    'ask all players as {p} for {n} in 0..4 "How much?":\n    require enough: {n} <= {p}.command',
    'ask all players as {p} for {n} in 0..u.health "How much?"',
)
BETWEEN = (
    "take up to 1 from u.health",
    "add up to 1 to t.health",
    "take up to 1 from u.owner.command",
    "perform tax(t)",
    "perform fee(t.owner)",
    "add up to 1 to turn",
    "set turn to min(9, u.health)",
)
LOOPS = (
    "for each {x} in players:",
    "for each {x} in players where {x} != u.owner:",
    "for each {x} in {{u.owner, t.owner}}:",
    "for each {x} in [u.owner, t.owner]:",
    "for each {x} in {{each {x}_ in players where {x}_.command >= 1}}:",
)
PAID = (
    "take {n}[{x}] from {x}.command",
    "take {n}[{x}] from {x}.command",
    "take {n}[{x}] from {x}.command",
    "set {x}.command to {x}.command - {n}[{x}]",
    "take 1 from {x}.command",
    "take {n}[{x}] from u.health",
)
BESIDE = (
    "take up to 2 from u.owner.command",
    "take up to 1 from {x}.command",
    "add up to {n}[{x}] to turn",
    "perform fee({x})",
    "perform fee(u.owner)",
    "perform tax(u)",
)


PICKED = (
    'ask u.owner to pick 0..2 of each {c} in u.owner.hand as {n} "Which?"',
    'ask u.owner to pick 0..3 of each {c} in u.owner.hand where {c} != sword as {n} "Which?"',
    "let {n} = {{each {c} in u.owner.hand}}",
)
CARDS = (
    "take {x} from u.owner.hand",
    "take {x} from u.owner.hand",
    "take {x} from t.owner.hand",
    "add {x} to spent",
    "add 2 of {x} to t.owner.hand",
    "perform rob(t.owner)",
    "take {x} from spent",
)


class PaymentWriter:
    """Writes a procedure of questions for amounts and of lines that take them, in any order."""

    def __init__(self, seed: int) -> None:
        """The same seed writes the same text."""
        self._draw = Random(seed)
        self._names = 0

    def write_ruleset(self) -> str:
        """The whole ruleset."""
        body = [line for _ in range(self._draw.randint(1, 3)) for line in self._write_payment()]
        return (
            PAYMENT_RULES
            + self._draw.choice(RULES)
            + "\n".join(['procedure main(u: Unit, t: Unit) "Main":', *body])
            + "\n"
        )

    def _write_payment(self) -> list[str]:
        self._names += 1
        names = {each: f"{each}_{self._names}" for each in "npxc"}
        if self._draw.random() < 0.3:
            return [f"  {line}".format(**names) for line in self._write_cards()]
        question = self._draw.choice(QUESTIONS)
        between = [self._draw.choice(BETWEEN)] if self._draw.random() < 0.3 else []
        lines = [
            question,
            *between,
            *(self._write_loop(question) if "all" in question else self._write_single_question()),
        ]
        return [f"  {line}".format(**names) for line in lines]

    def _write_cards(self) -> list[str]:
        between = [self._draw.choice(CARDS[-2:])] if self._draw.random() < 0.2 else []
        taken = [f"  {self._draw.choice(CARDS)}" for _ in range(self._draw.randint(1, 3))]
        return [
            self._draw.choice(PICKED),
            *(line for line in between if "{x}" not in line),
            "for each {x} in {n}:",
            *taken,
        ]

    def _write_single_question(self) -> list[str]:
        line = self._draw.choice(("take {n} from u.health", "take {n} from t.health", "set u.health to u.health - {n}"))
        guard = self._draw.choice(([], [], ["if {n} <= t.health:"], ["for each {x} in units:"]))
        inner = line.replace("t.", "{x}.") if guard and "for" in guard[0] else line
        return [*guard, f"  {inner}" if guard else inner]

    def _write_loop(self, question: str) -> list[str]:
        """A loop over some of those who were asked, who alone have answers."""
        paid = [f"  {self._draw.choice(PAID)}"]
        if self._draw.random() < 0.3:
            paid = ["  if {n}[{x}] > 0:", *(f"  {line}" for line in paid)]
        if self._draw.random() < 0.5:
            paid.append(f"  {self._draw.choice(BESIDE)}")
        return [self._draw.choice(LOOPS[2:4] if "all players" not in question else LOOPS), *paid]
