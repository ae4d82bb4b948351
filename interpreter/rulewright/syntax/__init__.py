"""From text to nodes; the only room that imports the parsing library, Lark."""
