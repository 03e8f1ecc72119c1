"""Attacks on the software: damaged files, killed processes, systems that fail. See docs/explanation/hardening.md."""
