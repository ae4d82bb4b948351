"""Legal states that nobody wrote: made from a ruleset's declarations, or varied from a fixture.

Everything is JSON data in the form of state files, so that what was made can be read, kept and shown; whether it is
legal the reader of state files and the ruleset's invariants judge, as they judge a state that a person wrote.
"""
