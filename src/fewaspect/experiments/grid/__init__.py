"""A grid: its config, its runs and cells, the folder that keeps them, and their execution here or on Ray."""
