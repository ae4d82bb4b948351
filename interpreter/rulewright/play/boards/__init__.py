"""Drawings of boards, as text and for SVG."""
