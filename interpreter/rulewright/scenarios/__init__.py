"""Scenario tests: suites read from YAML, played, judged against expectations, measured for coverage, and accepted."""
