"""Codecs: how values of each type of the language are read, written, described by a schema, shown and sampled."""
