"""A slow, small interpreter that plays programs as the manual says, to judge the machine by.

It walks the tree with generators: a generator yields what is asked and is sent the answer. It shares nothing with the
machine but the form of values.
"""
