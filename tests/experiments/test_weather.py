"""The bundled weather: its script makes it again, its shape is the exercise's, and studies take its name."""

from __future__ import annotations

import csv
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from examples.make_weather import TARGET, text

import assay
from assay.errors import InputError
from assay.experiments.datasets import dataset_of

BUNDLED = (files("assay") / "data" / "weather.csv").read_text(encoding="utf-8")
NAMES = [
    *("Date", "Location", "MinTemp", "MaxTemp", "Rainfall", "Evaporation", "Sunshine", "WindGustDir", "WindGustSpeed"),
    *("WindDir9am", "WindDir3pm", "WindSpeed9am", "WindSpeed3pm", "Humidity9am", "Humidity3pm", "Pressure9am"),
    *("Pressure3pm", "Cloud9am", "Cloud3pm", "Temp9am", "Temp3pm", "RainToday", "RISK_MM", "RainTomorrow"),
]


def test_the_script_makes_the_bundled_file_again() -> None:
    assert text() == BUNDLED
    assert TARGET.read_text(encoding="utf-8") == BUNDLED


def test_names_days_and_class_shares_are_those_of_the_exercise() -> None:
    rows = list(csv.DictReader(BUNDLED.splitlines()))
    assert list(rows[0]) == NAMES
    assert len(rows) == 366
    for column in ("RainToday", "RainTomorrow"):
        assert sum(row[column] == "Yes" for row in rows) == 66


def test_a_day_agrees_with_the_next() -> None:
    rows = list(csv.DictReader(BUNDLED.splitlines()))
    for day, following in pairwise(rows):
        assert day["RISK_MM"] == following["Rainfall"]
        assert day["RainTomorrow"] == following["RainToday"] == ("Yes" if float(day["RISK_MM"]) > 1 else "No")


def test_it_says_that_it_is_no_weather_of_any_place() -> None:
    assert {row["Location"] for row in csv.DictReader(BUNDLED.splitlines())} == {"Nowhere"}


def test_by_name_neither_the_day_nor_tomorrows_rain_is_learned_from() -> None:
    data = dataset_of("weather")
    assert data.classes == ("No", "Yes")
    assert np.bincount(data.target).tolist() == [300, 66]
    assert {column.name for column in data.columns} == {*NAMES} - {"Date", "Location", "RISK_MM", "RainTomorrow"}
    assert data.numbers.shape[1] == len(data.feature_names)
    assert not data.positive_inferred


def test_studies_take_it_by_name_and_find_something(tmp_path: Path) -> None:
    study = assay.experiment(["weather"], ["logistic"], "swapped_halves", jobs=1)
    assert study.estimate("weather", "logistic", "roc_auc").value > 0.7
    with pytest.raises(InputError, match="its name alone"):
        dataset_of({"name": "weather", "target": "RainToday"})
