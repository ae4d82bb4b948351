"""Causes and counterfactuals of one play."""
