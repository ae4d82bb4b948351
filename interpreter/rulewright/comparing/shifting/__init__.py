"""What a change of rules does to the odds of the plays that scenarios begin."""
