"""Texts, places in them, findings, files, the cache and workers: what every room stands on."""
