"""Projects in memory: detectors, scores, and sentences as the page shows them."""
