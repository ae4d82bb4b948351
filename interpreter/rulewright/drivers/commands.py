"""What people can type in a play besides answers."""

from rulewright.frozen import dataclass

WORDS = ("undo", "why", "log", "history", "hint", "look", "state", "save", "script", "help", "quit")
HELP = (
    "  Answer with a number of the list, or with the answer itself. Several numbers stand with blanks between them.",
    "  undo         take back the last answer a person gave",
    "  why          what decided so far",
    "  log          what happened so far; also `history`",
    "  hint         an answer that is possible",
    "  look         the question again, with what can be answered",
    "  state        the things on the table",
    "  save FILE    write the session, to go on with `--load FILE`",
    "  script FILE  write the answers as a script, for `--script FILE`",
    "  help, ?      this text and the question again",
    "  quit         leave",
)
OVER = "the play is over: `undo`, `save FILE` and `script FILE` still work; an empty line leaves"


@dataclass(frozen=True, slots=True)
class Command:
    """One of `WORDS` and the file after it, or nothing."""

    word: str
    file: str


def command_of(written: str) -> Command | None:
    """The command a line is, with or without a slash in front; none where it is an answer."""
    word, _, rest = ("help" if written == "?" else written).removeprefix("/").partition(" ")
    if word not in WORDS or (rest.strip() and word not in {"save", "script"}):
        return None
    return Command(word, rest.strip())
