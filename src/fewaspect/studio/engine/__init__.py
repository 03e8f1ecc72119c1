"""What a running studio knows of its projects: detectors, scores, and sentences as the page shows them."""
