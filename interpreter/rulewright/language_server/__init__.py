"""The language server: what `editing` answers, said to editors by the Language Server Protocol.

`positions` counts as a client counts, `saying` writes answers as the protocol has them, `server` hears what a client
asks. It needs the extra `lsp`, and is read only by the verb `lsp`.
"""
