"""What the studio keeps: projects, their aspects, examples, reviews and changes, in SQLite or PostgreSQL."""
