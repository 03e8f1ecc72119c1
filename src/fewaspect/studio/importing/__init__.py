"""Files into the store: uploads, previews, dates, jobs, projects and saved detectors."""
