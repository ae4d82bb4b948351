"""Mutation testing of scenarios (manual, Mutation score): how many small edits of the rules scenarios notice."""
