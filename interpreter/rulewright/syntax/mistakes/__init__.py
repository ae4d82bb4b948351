"""Explanation of syntax errors: diagnosers of known mistakes, and a generic diagnosis as the last resort."""
