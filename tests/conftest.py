"""One hypothesis profile for all tests: the same examples on every run, on every machine."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "assay",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("assay")
