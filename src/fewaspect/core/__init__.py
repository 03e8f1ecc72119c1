"""What everything else stands on: errors, atomic files, arrays, settings, progress, the environment."""
