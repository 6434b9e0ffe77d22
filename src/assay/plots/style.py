"""The look: colours by token, strokes and type by role; written once for pages, pictures and matplotlib."""

from __future__ import annotations

from collections.abc import Collection, Mapping

LIGHT = {
    "paper": "#FFFFFF",
    "ink": "#1B1F23",
    "muted": "#5B656E",
    "axis": "#A4ADB5",
    "hair": "#E2E6E9",
    "wash": "#F3F5F6",
    "threshold": "#D55E00",
    "threshold-text": "#B84F00",
    "model-0": "#0072B2",
    "model-1": "#008560",
    "model-2": "#A8467E",
    "model-3": "#7A5C00",
    "model-4": "#5B4FA8",
    "negatives": "#8B949C",
    "band": ".14",
}
DARK = {
    "paper": "#14171A",
    "ink": "#E8EBEE",
    "muted": "#A3ACB4",
    "axis": "#5F6971",
    "hair": "#2A3035",
    "wash": "#20262B",
    "threshold": "#F4762A",
    "threshold-text": "#FF8A45",
    "model-0": "#56B4E9",
    "model-1": "#2FC49A",
    "model-2": "#E08FBE",
    "model-3": "#D9B84A",
    "model-4": "#A79CF0",
    "negatives": "#8B959D",
    "band": ".2",
}

# Dashes tell models apart without colour.
DASHES = ("", "6 3", "2 2", "8 2 2 2", "12 3")
MODELS = len(DASHES)
# How JupyterLab, VS Code, Colab and pages made of notebooks say which theme they have.
IN_LIGHT = "[data-jp-theme-light=true],.vscode-light,html[theme=light],[data-theme=light]"
IN_DARK = "[data-jp-theme-light=false],.vscode-dark,html[theme=dark],[data-theme=dark]"
# Shades of a heat map.
SHADES = 8


def model_role(index: int) -> str:
    """The role of the model that comes `index`-th; after the last one the looks begin again."""
    return f"model-{index % MODELS}"


def text_role(role: str) -> str:
    """The role of words that speak about a mark; those about what curves are read against stay in the background."""
    return f"{role}-words" if f"{role}-words" in ROLES else "muted-words"


def area_role(index: int) -> str:
    """The role of an area that belongs to the model that comes `index`-th: a band around its curve, or bars."""
    return f"{model_role(index)}-area"


def _model_line(index: int) -> dict[str, str]:
    dash = {"stroke-dasharray": DASHES[index]} if DASHES[index] else {}
    width = "2" if index == 0 else "1.5"
    return {"fill": "none", "stroke": f"@model-{index}", "stroke-width": width, "stroke-linejoin": "round", **dash}


# Presentation attributes of every role, all of them CSS properties too; "@token" stands for a colour or an opacity.
ROLES: Mapping[str, Mapping[str, str]] = {
    "axis": {"stroke": "@axis", "vector-effect": "non-scaling-stroke"},
    "reference": {"stroke": "@axis", "stroke-dasharray": "2 3", "fill": "none", "vector-effect": "non-scaling-stroke"},
    "faint": {"stroke": "@axis", "stroke-width": ".75", "fill": "none", "stroke-opacity": ".5"},
    "negatives": {"fill": "none", "stroke": "@negatives", "stroke-width": "1.5", "stroke-linejoin": "round"},
    "negatives-area": {"fill": "@negatives", "fill-opacity": ".35"},
    "negatives-flagged": {"fill": "@negatives", "fill-opacity": ".6"},
    "mark": {"stroke": "@ink", "stroke-width": "1.5", "fill": "none"},
    "mark-words": {"fill": "@ink"},
    "dot": {"fill": "@threshold", "stroke": "@paper", "stroke-width": "1.5"},
    "cut": {"stroke": "@threshold", "stroke-width": "1.25"},
    "whisker-x": {"stroke": "@threshold", "stroke-width": "1.5"},
    "whisker-y": {"stroke": "@threshold", "stroke-width": "1.5"},
    "tangent": {"stroke": "@ink", "stroke-width": "1"},
    "hull": {"fill": "none", "stroke": "@ink", "stroke-width": ".75"},
    "optimum": {"fill": "none", "stroke": "@ink", "stroke-width": "1"},
    "halo": {"stroke": "@paper", "stroke-width": "4", "stroke-linejoin": "round", "paint-order": "stroke"},
    "words": {"fill": "@ink"},
    "muted-words": {"fill": "@muted"},
    "threshold-words": {"fill": "@threshold-text", "font-weight": "600"},
    **{f"heat-{k}": {"fill": "@model-0", "fill-opacity": f"{(k + 1) / SHADES:.3g}"} for k in range(SHADES)},
    **{f"model-{k}": _model_line(k) for k in range(MODELS)},
    **{f"model-{k}-area": {"fill": f"@model-{k}", "fill-opacity": "@band"} for k in range(MODELS)},
    **{f"model-{k}-flagged": {"fill": f"@model-{k}", "fill-opacity": ".6"} for k in range(MODELS)},
    **{f"model-{k}-dot": {"fill": f"@model-{k}", "stroke": "@paper", "stroke-width": "1.5"} for k in range(MODELS)},
    **{f"model-{k}-words": {"fill": f"@model-{k}", "font-weight": "600"} for k in range(MODELS)},
}


def presentation(*roles: str) -> dict[str, str]:
    """The attributes of these roles, later ones winning, in the light colours.

    >>> presentation("axis")["stroke"]
    '#A4ADB5'
    """
    merged = {key: value for role in roles for key, value in ROLES[role].items()}
    return {key: LIGHT[value[1:]] if value.startswith("@") else value for key, value in merged.items()}


def stylesheet() -> str:
    """The same roles as classes (`f-axis`) over custom properties, in light and dark and, on paper, light again."""
    rules = [
        f":root{{color-scheme:light;{_properties(LIGHT)}}}",
        f"@media (prefers-color-scheme:dark){{:root{{color-scheme:dark;{_properties(DARK)}}}}}",
        f"@media print{{:root{{color-scheme:light;{_properties(LIGHT)}}}}}",
    ]
    return "\n".join([*rules, *(_rule(role) for role in ROLES)]) + "\n"


def fragment_stylesheet(root: str, used: Collection[str]) -> str:
    """The roles that are `used` inside `root` alone, in the light or dark of a notebook's theme or, without one, of the
    reader's choice."""
    light, dark = (
        f"{root}{{color-scheme:{name};{_properties(colours)}}}" for name, colours in (("light", LIGHT), ("dark", DARK))
    )
    rules = [
        light,
        f"@media (prefers-color-scheme:dark){{{dark}}}",
        f":is({IN_LIGHT}) {light}",
        f":is({IN_DARK}) {dark}",
    ]
    rules += [f"@media print{{{light}}}", *(f"{root} {_rule(role)}" for role in ROLES if role in used)]
    return "\n".join(rules) + "\n"


def _rule(role: str) -> str:
    body = ";".join(f"{key}:{_as_css(value)}" for key, value in ROLES[role].items())
    return f".f-{role}{{{body}}}"


def _properties(colours: Mapping[str, str]) -> str:
    return ";".join(f"--{token}:{colour.lower()}" for token, colour in colours.items())


def _as_css(value: str) -> str:
    return f"var(--{value[1:]})" if value.startswith("@") else value
