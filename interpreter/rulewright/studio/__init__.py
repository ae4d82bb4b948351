"""A workbench in the browser: rules, plays, scenarios, comparisons and odds of one folder, on this machine alone.

It shows what the command line says: questions are command lines, answered by processes that wait ready.
"""
