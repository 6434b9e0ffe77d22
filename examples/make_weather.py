"""Make the bundled data set "weather": a year of days that never were, and whether it rained on the next.

Courses on data mining often use a year of weather at one station. Those days are not ours to give away, so these are
drawn from a few rules of thumb: a storminess that fades slowly brings cloud, humidity, wind and low pressure, and with
them rain on the next day. Names of columns, the number of days and the shares of the classes are those of the usual
exercise; no value was taken from any station. Nothing learned from this table is true of any weather.
Run with the test environment: `.venv/bin/python examples/make_weather.py`.
"""

from __future__ import annotations

import csv
import io
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

TARGET = Path(__file__).parent.parent / "src" / "assay" / "data" / "weather.csv"
SEED = 2026
DAYS, WET = 366, 66  # of the days so many are followed by more than a millimetre of rain
FIRST = date(2031, 11, 1)
COMPASS = ("N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW")
Numbers = NDArray[np.float64]


def storminess(rng: np.random.Generator) -> Numbers:
    """One number a day, that of yesterday fading and a new shock added; mean 0, spread 1."""
    shocks, found = rng.normal(size=DAYS), np.zeros(DAYS)
    for day in range(DAYS):
        found[day] = 0.55 * found[day - 1] + 0.84 * shocks[day]
    return found


def rain_of_the_next_day(storm: Numbers, rng: np.random.Generator) -> Numbers:
    """Millimetres: most of it after stormy days, over one of them on exactly `WET` days."""
    order = np.argsort(storm + 0.75 * rng.normal(size=DAYS))[::-1]
    amount = np.zeros(DAYS)
    amount[order[:WET]] = np.sort(1.2 + rng.exponential(7, WET))[::-1]
    amount[order[WET : WET + 30]] = rng.uniform(0.2, 1.0, 30)
    return amount.round(1)


def directions(rng: np.random.Generator, centre: float, spread: float) -> list[str]:
    """A point of the compass for each day, around one of them."""
    return [COMPASS[int(place) % len(COMPASS)] for place in np.rint(rng.normal(centre, spread, DAYS))]


def columns() -> dict[str, list[Any]]:
    """The whole table, a list for each column; None where a value is missing."""
    rng = np.random.default_rng(SEED)
    storm = storminess(rng)
    tomorrow = rain_of_the_next_day(storm, rng)
    today = np.roll(tomorrow, 1)  # the first day has the rain that was announced on the last
    season = np.cos(2 * np.pi * (np.arange(DAYS) - 75) / DAYS)  # January is warm
    cloud = np.clip(np.rint([4 + 2.2 * storm + rng.normal(0, 2, DAYS) for _ in range(2)]), 0, 8)
    sun = np.clip(9.2 + 2 * season - 0.75 * (cloud.mean(0) - 4) - 0.9 * storm + rng.normal(0, 1.3, DAYS), 0, 13.6)
    low = 7.5 + 7 * season + 0.8 * storm + rng.normal(0, 3, DAYS)
    high = low + 10.5 + 0.6 * (sun - 8) + np.abs(rng.normal(2, 2, DAYS))
    gust = 13 + 13 * rng.gamma(2, 0.8, DAYS) + 6 * np.clip(storm, -1, 3)
    humid = np.clip(44 + 9 * storm - 3 * season + rng.normal(0, 11, DAYS), 12, 97)
    pressure = 1019.5 - 4 * season - 3.2 * storm + rng.normal(0, 4.5, DAYS)
    winds = [np.clip(share * gust + rng.normal(0, 5, DAYS), 0, None) for share in (0.25, 0.46)]
    morning = low + 0.4 * (high - low) + rng.normal(0, 1.3, DAYS)
    of_gust, of_morning, of_noon = (directions(rng, *each) for each in ((14, 3.4), (7, 4), (14, 3)))
    table: dict[str, Any] = {
        "Date": [(FIRST + timedelta(days=day)).isoformat() for day in range(DAYS)],
        "Location": ["Nowhere"] * DAYS,
        "MinTemp": low.round(1),
        "MaxTemp": high.round(1),
        "Rainfall": today,
        "Evaporation": np.clip(4.5 + 2.2 * season + 0.3 * (sun - 8) + rng.normal(0, 1.4, DAYS), 0.2, None).round(1),
        "Sunshine": _with_gaps(sun.round(1), 3, rng),
        "WindGustDir": _with_gaps(of_gust, 3, rng),
        "WindGustSpeed": _with_gaps(np.rint(gust).astype(int), 2, rng),
        "WindDir9am": _with_gaps(of_morning, 31, rng),
        "WindDir3pm": _with_gaps(of_noon, 1, rng),
        "WindSpeed9am": _with_gaps(np.rint(winds[0]).astype(int), 7, rng),
        "WindSpeed3pm": np.rint(winds[1]).astype(int),
        "Humidity9am": np.rint(np.clip(humid + 28 + rng.normal(0, 7, DAYS), 30, 100)).astype(int),
        "Humidity3pm": np.rint(humid).astype(int),
        "Pressure9am": (pressure + 1.5 + rng.normal(0, 1, DAYS)).round(1),
        "Pressure3pm": (pressure - 1.5).round(1),
        "Cloud9am": cloud[0].astype(int),
        "Cloud3pm": cloud[1].astype(int),
        "Temp9am": morning.round(1),
        "Temp3pm": (high - np.abs(rng.normal(1.2, 0.7, DAYS))).round(1),
        "RainToday": np.where(today > 1, "Yes", "No"),
        "RISK_MM": tomorrow,
        "RainTomorrow": np.where(tomorrow > 1, "Yes", "No"),
    }
    return {name: np.asarray(values, dtype=object).tolist() for name, values in table.items()}


def _with_gaps(values: Any, gaps: int, rng: np.random.Generator) -> list[Any]:
    missing = set(rng.choice(DAYS, gaps, replace=False).tolist())
    return [None if day in missing else value for day, value in enumerate(np.asarray(values, dtype=object).tolist())]


def text() -> str:
    """The file as it is bundled."""
    table, buffer = columns(), io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(["NA" if value is None else value for value in row] for row in zip(*table.values(), strict=True))
    return buffer.getvalue()


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
