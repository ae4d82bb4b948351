"""How many small changes of the rules scenarios notice (manual, Mutation score)."""
