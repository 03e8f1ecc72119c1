"""One file per group of commands; heavy imports are inside the functions."""
