"""The language server: the state of a client, handlers of document requests, and the protocol with its error handling.

Of a client it holds a workspace per folder, pending checks and published diagnostics. Slow to import, so only the verb
`lsp` and the standby process do.
"""
