"""The command line: one module for each verb, found by its name in `main`."""
