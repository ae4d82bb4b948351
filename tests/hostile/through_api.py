"""Checks, loads and plays the rules beside by the public API; prints the codes that come of it, as the commands do."""

import sys

from rulewright import api

STATE = {"players": ["red"], "units": {"hammer": {"owner": "red", "health": 5}}}


def main() -> int:
    """Ends as `run` does: 0 at an end, 3 at a limit, 2 where the rules are wrong."""
    try:
        play = api.start(api.load("example.rules"), "go", STATE, {"unit": "hammer"})
    except api.WrongInputError as wrong:
        print(wrong)
        return 2
    if play.fault is not None:
        print(play.fault.code)
        return 3
    return 0 if play.ended else 1


if __name__ == "__main__":
    sys.exit(main())
