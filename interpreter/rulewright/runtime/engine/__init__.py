"""Calls, windows and settling: what generated code asks for between its blocks."""
