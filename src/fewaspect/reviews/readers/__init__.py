"""Files of reviews as records: one set of readers for detect, report, suggest, the studio and bulk jobs."""
