"""The studio: a REST API and a page on the detector, for one user or a few."""
