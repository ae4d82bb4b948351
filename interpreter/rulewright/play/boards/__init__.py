"""Boards as drawings: what stands where, for text and for SVG."""
