"""Records as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from assay.evaluation import Evaluation, Evaluations


def render_json(models: Mapping[str, Evaluation]) -> str:
    """The published record: of the one model, or of all by name."""
    return json_text(next(iter(models.values())).to_dict() if len(models) == 1 else Evaluations(models).to_dict())


def json_text(record: Any) -> str:
    """A record as every command prints it."""
    return json.dumps(record, indent=2, allow_nan=False) + "\n"
