"""assay compare of evidence: models whose rows are elsewhere."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from tests.cli.conftest import Run


def test_sites_reduce_and_the_merged_evidence_is_compared(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for site in ("north", "south"):
        truth = rng.random(300) < 0.4
        good, poor = (1 / (1 + np.exp(-rng.normal(truth * gap - 1, 1))) for gap in (3.0, 0.5))
        lines = [f"{int(y)},{a},{b}" for y, a, b in zip(truth, good, poor, strict=True)]
        (tmp_path / f"{site}.csv").write_text("\n".join(["truth,score__good,score__poor", *lines]))
        assert run("reduce", f"{site}.csv", "-o", f"{site}.evidence").code == 0
    assert run("merge", "north.evidence", "south.evidence", "-o", "all.evidence").code == 0
    said = run("compare", "all.evidence")
    assert said.code == 0
    assert "good has a significantly higher ROC AUC than poor." in said.out
    refused = run("compare", "all.evidence", "--method", "bootstrap")
    assert refused.code != 0
    assert "'good' is evidence, without rows, and this looks at single cases" in refused.err
