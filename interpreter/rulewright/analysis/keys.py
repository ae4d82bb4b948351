"""Structural keys: two expressions with one key have one value, wherever they stand."""

Key = tuple[object, ...]
