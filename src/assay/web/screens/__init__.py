"""Screens of the workbench: the handlers of each."""
