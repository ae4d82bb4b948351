"""The language server: what `editing` answers, said to editors by the Language Server Protocol.

`positions` counts as a client counts, `saying` writes answers as the protocol has them. `session` is what one client
has open and is told of it, `answering` what it asks; `server` hears it. It needs the extra `lsp`, and is read only by
the verb `lsp`.
"""
