"""First screen of a comparison: one row for each change of play, in the words of the rules' authors."""
