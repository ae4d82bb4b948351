"""The batch path: a procedure whose state is finite as WebAssembly, which plays millions of times a second."""
