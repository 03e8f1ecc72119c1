"""Whether a text is negative, neutral or positive about each of its aspects."""
