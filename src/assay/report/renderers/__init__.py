"""Renderers: blocks as HTML, text, Markdown, LaTeX, CSV or JSON, and reports in the style of other systems."""
