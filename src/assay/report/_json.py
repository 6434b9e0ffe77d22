"""Evaluations as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping

from assay.evaluation import Evaluation, Evaluations

__all__ = ["render_json"]


def render_json(models: Mapping[str, Evaluation]) -> str:
    """The published record: of the one model, or of all by name."""
    record = next(iter(models.values())).to_dict() if len(models) == 1 else Evaluations(models).to_dict()
    return json.dumps(record, indent=2, allow_nan=False) + "\n"
