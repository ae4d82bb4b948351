"""The core language: what a checked program does, in few forms, without a word of how it was written.

`lowering.lower_program` makes a `CoreProgram` of a `Program`; what executes, proves, counts or slices reads the core,
what tells reads the program, and the two are joined by the origin of each form.
"""
