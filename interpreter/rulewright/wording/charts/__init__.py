"""Procedures as flow charts: steps downwards in the order of the book, jumps at the side."""
