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
    "model-2": "#9B3F86",
    "model-3": "#8A6100",
    "model-4": "#1B1F23",
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
    "model-2": "#D68FCB",
    "model-3": "#D6A84A",
    "model-4": "#E8EBEE",
    "negatives": "#8B959D",
    "band": ".2",
}

HUES = 5
# A model's dash and width, from the first on: every hue comes twice, in dashes that are not mistaken for one another.
STROKES = (
    *(("", "2"), ("6 3", "1.5"), ("2 2.5", "2"), ("10 3 2 3", "1.5"), ("", "1")),
    *(("3 3", "1.5"), ("", "1.25"), ("9 3", "1.5"), ("", "1.5"), ("5 2 1 2", "1.25")),
)
MODELS = len(STROKES)
# Models beyond those share one grey: more looks than these nobody tells apart.
REST = "rest"
# How JupyterLab, VS Code, Colab and pages made of notebooks say which theme they have.
IN_LIGHT = "[data-jp-theme-light=true],.vscode-light,html[theme=light],[data-theme=light]"
IN_DARK = "[data-jp-theme-light=false],.vscode-dark,html[theme=dark],[data-theme=dark]"
# Shades of a heat map.
SHADES = 8


def model_role(index: int) -> str:
    """The role of the model that comes `index`-th; those beyond the last look share one.

    >>> model_role(0), model_role(9), model_role(10)
    ('model-0', 'model-9', 'model-rest')
    """
    return f"model-{index if index < MODELS else REST}"


def text_role(role: str) -> str:
    """The role of words that speak about a mark; those about what curves are read against stay in the background."""
    return f"{role}-words" if f"{role}-words" in ROLES else "muted-words"


def area_role(index: int) -> str:
    """The role of an area that belongs to the model that comes `index`-th: a band around its curve, or bars."""
    return f"{model_role(index)}-area"


def _color_token(look: int | str) -> str:
    """The token of the colour of a look."""
    return "@axis" if isinstance(look, str) else f"@model-{look % HUES}"


def _text_color_token(look: int | str) -> str:
    """The token of the colour of words about a look, which need more contrast than a line."""
    return "@muted" if isinstance(look, str) else _color_token(look)


def _model_line_style(look: int | str) -> dict[str, str]:
    dash, width = ("", "1") if isinstance(look, str) else STROKES[look]
    dashes = {"stroke-dasharray": dash} if dash else {}
    return {"fill": "none", "stroke": _color_token(look), "stroke-width": width, "stroke-linejoin": "round", **dashes}


LOOKS = (*range(MODELS), REST)
# Dashes of upright lines where detectors found a change, from the first detector on.
CHANGES = ("5 3", "1.5 2.5", "9 3 1.5 3", "2.5 5", "12 4", "5 2 1.5 2 1.5 2")
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
    "interval": {"stroke": "@model-0", "stroke-width": "1.5"},
    "diamond": {"fill": "@ink", "fill-opacity": "1"},
    "dot": {"fill": "@threshold", "stroke": "@paper", "stroke-width": "1.5"},
    "cut": {"stroke": "@threshold", "stroke-width": "1.25"},
    "whisker-x": {"stroke": "@threshold", "stroke-width": "1.5"},
    "whisker-y": {"stroke": "@threshold", "stroke-width": "1.5"},
    "tangent": {"stroke": "@ink", "stroke-width": "1"},
    "hull": {"fill": "none", "stroke": "@ink", "stroke-width": ".75"},
    "optimum": {"fill": "none", "stroke": "@ink", "stroke-width": "1"},
    "leader": {"stroke": "@hair", "stroke-width": "1"},
    **{f"change-{k}": {"stroke": "@muted", "stroke-dasharray": dash} for k, dash in enumerate(CHANGES)},
    # Notes lie over whatever is drawn under them.
    "note": {"stroke": "@paper", "stroke-width": "4", "stroke-linejoin": "round", "paint-order": "stroke"},
    "halo": {"stroke": "@paper", "stroke-width": "4", "stroke-linejoin": "round", "paint-order": "stroke"},
    "words": {"fill": "@ink"},
    "muted-words": {"fill": "@muted"},
    "threshold-words": {"fill": "@threshold-text", "font-weight": "600"},
    **{f"heat-{k}": {"fill": "@model-0", "fill-opacity": f"{(k + 1) / SHADES:.3g}"} for k in range(SHADES)},
    **{f"model-{k}": _model_line_style(k) for k in LOOKS},
    **{f"model-{k}-area": {"fill": _color_token(k), "fill-opacity": "@band"} for k in LOOKS},
    **{f"model-{k}-flagged": {"fill": _color_token(k), "fill-opacity": ".6"} for k in LOOKS},
    **{f"model-{k}-dot": {"fill": _color_token(k), "stroke": "@paper", "stroke-width": "1.5"} for k in LOOKS},
    **{f"model-{k}-words": {"fill": _text_color_token(k), "font-weight": "600"} for k in LOOKS},
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
        f":root{{color-scheme:light;{_css_properties(LIGHT)}}}",
        f"@media (prefers-color-scheme:dark){{:root{{color-scheme:dark;{_css_properties(DARK)}}}}}",
        f"@media print{{:root{{color-scheme:light;{_css_properties(LIGHT)}}}}}",
    ]
    return "\n".join([*rules, *(_css_rule(role) for role in ROLES), series_rules()]) + "\n"


def series_rules() -> str:
    """What colours the bars and the name of a model outside figures: `.bars.s3`, `.model.s3`.

    >>> series_rules().splitlines()[5]
    '.bars.s5{stroke:var(--model-0)}.model.s5{color:var(--model-0)}'
    """
    return "\n".join(
        f".bars.s{k}{{stroke:{_as_css(_color_token(k))}}}.model.s{k}{{color:{_as_css(_color_token(k))}}}"
        for k in range(MODELS)
    )


def fragment_stylesheet(root: str, used: Collection[str]) -> str:
    """The roles that are `used` inside `root` alone, in the light or dark of a notebook's theme or, without one, of the
    reader's choice."""
    light, dark = (
        f"{root}{{color-scheme:{name};{_css_properties(colours)}}}"
        for name, colours in (("light", LIGHT), ("dark", DARK))
    )
    rules = [
        light,
        f"@media (prefers-color-scheme:dark){{{dark}}}",
        f":is({IN_LIGHT}) {light}",
        f":is({IN_DARK}) {dark}",
    ]
    rules += [f"@media print{{{light}}}", *(f"{root} {_css_rule(role)}" for role in ROLES if role in used)]
    return "\n".join(rules) + "\n"


def _css_rule(role: str) -> str:
    body = ";".join(f"{key}:{_as_css(value)}" for key, value in ROLES[role].items())
    return f".f-{role}{{{body}}}"


def _css_properties(colours: Mapping[str, str]) -> str:
    return ";".join(f"--{token}:{colour.lower()}" for token, colour in colours.items())


def _as_css(value: str) -> str:
    return f"var(--{value[1:]})" if value.startswith("@") else value
