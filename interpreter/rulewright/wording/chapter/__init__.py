"""A ruleset as a chapter of a rulebook: what its text says, in sentences; nothing is said that it does not say."""
