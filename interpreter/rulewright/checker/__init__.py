"""From name spaces to a checked program."""
