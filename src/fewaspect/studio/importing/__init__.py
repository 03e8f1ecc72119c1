"""Files into the database: uploads, previews, dates, jobs, projects and saved detectors."""
