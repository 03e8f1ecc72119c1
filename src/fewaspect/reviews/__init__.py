"""Reviews from files and pipes, read as a stream, and what was detected in them, written as a stream."""
