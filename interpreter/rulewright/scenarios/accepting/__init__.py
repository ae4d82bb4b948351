"""Expectations that are written anew from what a play came to."""
