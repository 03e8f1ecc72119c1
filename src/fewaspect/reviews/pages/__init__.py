"""Reviews and reports as HTML pages."""
