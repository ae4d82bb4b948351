"""Cross reference of all names of a ruleset, in rules and in the documents beside them."""
