"""Static checker: linking, name resolution, type inference, proofs and lint, from parsed files to a typed program."""
