"""From flow graphs and expressions to Python source without any text of the rules.

Names are numbered and texts looked up: `v3` is a name of a plain routine, `F[7]` one of a frame, `W[12]` a part of
the working memory, `K4` a constant, `f5` a function of the rules, `q6` a piece of an expression lifted out, `p7` a
plain routine, `b8` a block, `T` the record of a traced run.
"""
