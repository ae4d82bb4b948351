"""The words and functions of the language, as tables, and how findings speak of what was written."""
