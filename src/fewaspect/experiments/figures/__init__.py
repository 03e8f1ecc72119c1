"""Figures of cells and runs; matplotlib is imported when one is drawn."""
