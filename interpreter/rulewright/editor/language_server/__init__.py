"""The editor's answers over the Language Server Protocol.

Needs the extra `lsp`; imported only by the verb `lsp`.
"""
