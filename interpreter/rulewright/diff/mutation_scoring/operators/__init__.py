"""Small changes of rules, for scenarios to notice (manual, Mutation score)."""
