"""Texts and spans, diagnostics, file providers, the disk cache and worker pools: what every room stands on."""
