"""What the reviews say, by segment and by period."""
