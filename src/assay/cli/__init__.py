"""The command line: arguments only. Each command lives in its own file and is loaded when it is called."""

from assay.cli._main import main

__all__ = ["main"]
