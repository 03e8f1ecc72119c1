"""Few-shot, multi-label aspect category detection."""

__version__ = "0.1.0"
