"""Online linear learning that does not care about units."""

__version__ = "0.1.0"
