"""Formats of files: each read by its own module."""
