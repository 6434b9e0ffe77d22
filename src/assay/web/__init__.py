"""The workbench: plain handlers, and a thin layer that serves them to a browser on this machine."""

from assay.web.workbench import Workbench

__all__ = ["Workbench"]
