"""Tables of an engine: rows are counted where they are, and only sums come here."""
