"""Facts and proofs: abstract state at a point of the program, and what follows from it (manual, Proofs).

`fact_store` holds facts, `assumption` transforms them by conditions, `prover` draws conclusions,
`transfer_functions` are those of assignments: facts after a name, a bound member or a place of the game gets a value.
"""
