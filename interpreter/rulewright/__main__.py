"""The command `rulewright`, also as `python -m rulewright`."""

import sys


def main() -> None:
    """Runs the command line; somebody may interrupt it while its modules are still read."""
    try:
        from rulewright.cli.main import main as run  # noqa: PLC0415

        run()
    except KeyboardInterrupt:
        sys.stderr.write("\nstopped\n")
        sys.exit(2)


if __name__ == "__main__":
    main()
