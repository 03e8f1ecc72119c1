"""Projects, their aspects, examples, reviews and changes, in SQLite or PostgreSQL."""
