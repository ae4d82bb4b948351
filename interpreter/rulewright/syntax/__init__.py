"""From text to nodes; the only layer that knows the parsing library."""
