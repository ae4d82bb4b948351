"""The first screen of a comparison: what changed in play, one line each, in the words of the rules' authors."""
