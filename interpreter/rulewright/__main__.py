"""`python -m rulewright`."""

from rulewright.cli.main import main

if __name__ == "__main__":
    main()
