"""Exact outcome distributions of plays as Markov chains, and Monte Carlo simulation."""
