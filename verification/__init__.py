"""Simulations that show where each default interval keeps its level. Run by `python -m verification`."""
