"""The first screen: the questions a reader comes with, each answered in one line by rules, never by an adjective."""

from assay.report.findings._asked import findings

__all__ = ["findings"]
