"""What the reviews of a project say, by segment and by period."""
