"""Procedures as flow charts: steps down the page in the book's order, jumps at the side."""
