"""What everything else is built on: errors, atomic files, arrays, settings, metrics, progress."""
