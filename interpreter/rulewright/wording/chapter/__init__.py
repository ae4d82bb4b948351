"""A ruleset as a chapter of a rulebook: only what its text says, in sentences."""
