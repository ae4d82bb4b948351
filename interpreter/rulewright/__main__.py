"""The command `rulewright`, also as `python -m rulewright`."""

import os
import signal
import sys
from types import FrameType
from typing import NoReturn


def _exit_on_interrupt(number: int, frame: FrameType | None) -> NoReturn:
    """Ends at once where modules are still read; what Python does then may tell it of lines that are not ours."""
    del number, frame
    os.write(2, b"\nstopped\n")
    os._exit(2)


def main() -> None:
    """Runs the command line; somebody may interrupt it while its modules are still read."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _exit_on_interrupt)
    try:
        from rulewright.cli.main import main as run  # noqa: PLC0415

        run()
    except KeyboardInterrupt:
        sys.stderr.write("\nstopped\n")
        sys.exit(2)


if __name__ == "__main__":
    main()
