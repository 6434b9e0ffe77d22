// The figure of differences between models: rows that follow the controls, the same rules as assay/report/first_screen.py.

import { computedAt } from "./computed";
import type { Data, Family } from "./data";
import { all, attrs, one, put, within } from "./dom";
import { asDrawn, place } from "./marks";
import { type Measure, MEASURES, measuresAt, pointAt } from "./point";
import { listed, words } from "./said";
import { LABELS, type State, worldOf } from "./state";
import { bracketed, levelWords, percent, signed, thresholdWords } from "./words";

/** The value of a measure of predicted labels where the controls stand. */
function valueAt(data: Data, state: State, k: number, measure: Measure): number {
  const model = data.models[k]!;
  const world = worldOf(data, state, model);
  return measuresAt(model, pointAt(model, state.at[k]!, world), world, false)[measure].value;
}

/** A difference where the controls stand; null where the page does not hold what it takes. */
export function differenceAt(data: Data, state: State, measure: string, first: number, second: number): number | null {
  if (!MEASURES.includes(measure as Measure)) return null;
  return valueAt(data, state, first, measure as Measure) - valueAt(data, state, second, measure as Measure);
}

/** At which thresholds a measure of predicted labels stands. */
export function thresholdsOf(data: Data, state: State, depends: string): string {
  if (!depends.includes("threshold") || state.at.includes(LABELS)) return "";
  const each = [...new Set(data.models.map(({ threshold }, k) => thresholdWords(threshold[state.at[k]!]!)))];
  return `at threshold${each.length > 1 ? "s" : ""} ${listed(each)}`;
}

/** The measures of a comparison where the controls stand: what moved has no interval, or is as it was computed. */
export function familiesAt(data: Data, state: State): { family: Family; title: string; limits: Family["levels"][string]; moved?: boolean }[] {
  const level = String(state.level ?? data.level);
  return (data.families ?? []).map((family) => {
    const note = computedAt(data, state, family.depends);
    const limits = family.levels[level]!;
    if (!note) return { family, title: family.title, limits };
    const value = differenceAt(data, state, family.name, 0, 1);
    const named = `${family.plain} ${thresholdsOf(data, state, family.depends)}`.trim();
    const moved = { ...family, named, levels: {} };
    if (value !== null) return { family: { ...moved, value: isNaN(value) ? null : value }, title: family.title, limits: null, moved: true };
    const title = `${family.title}, ${note[0]!.toLowerCase()}${note.slice(1).replace(/\.$/, "")}:`;
    return { family: moved, title, limits, moved: true };
  });
}

/** The figure of differences on a page, if it has one. */
export function differencesOf(data: Data, initial: State) {
  const rows = all<HTMLTableRowElement>("tr[data-measure]").map((row) => ({
    row,
    cells: ["td.n", "td.i", "td.p"].map((name) => one(name, row)),
    texts: ["td.n", "td.i", "td.p"].map((name) => one(name, row)?.textContent ?? ""),
    reach: Number(row.closest("table")!.dataset.reach),
    look: one("circle", row)?.getAttribute("class") ?? "",
  }));
  const heads = all(".forest .level").map((head) => [head, head.textContent!] as const);
  const note = one("[data-live='differences.note']");
  const written = note?.textContent ?? "";

  /** At which thresholds the measures of predicted labels stand. */
  function stand(state: State): string {
    const titles = new Map(rows.map(({ row: { dataset } }) => [dataset.title!, dataset.needs!]));
    const share = state.prevalence === null ? "" : `, ${words("computed.prevalence", { share: percent(state.prevalence) })}`;
    const found = [...titles].map(([title, needs]) => [title, thresholdsOf(data, state, needs), needs.includes("prevalence") ? share : ""]);
    return found.filter(([, at]) => at).map(([title, at, of]) => `${title} is computed ${at}${of}.`).join(" ");
  }

  const before = stand(initial);

  return (state: State): void => {
    if (!rows.length) return;
    const level = String(state.level ?? data.level);
    for (const [head, text] of heads) put(head, data.families?.length ? levelWords(Number(level)).replace(" ", "\u00a0") : text);
    if (note) put(note, before ? written.replace(before.replaceAll(" %", "\u00a0%"), stand(state).replaceAll(" %", "\u00a0%")) : written);
    for (const { row, cells, texts, reach, look } of rows) {
      const { measure, needs, first, second } = row.dataset as Record<string, string>;
      const family = data.families?.find(({ name }) => name === measure);
      const isMoved = computedAt(data, state, needs!) !== "";
      const moved = isMoved ? differenceAt(data, state, measure!, Number(first), Number(second)) : null;
      const limits = family?.levels[level];
      const [tick, whisker, shaded] = [one("circle", row), one(".whisker", row), one("rect.margin", row)];
      const { margin } = state;
      if (margin === (data.margin ?? null)) asDrawn(shaded);
      else place(shaded, margin === null ? null : { x: across(-margin, reach), width: `${(100 * Math.min(margin / reach, 1)).toFixed(2)}%` });
      if (moved !== null) {
        show(cells, [isNaN(moved) ? "\u2013" : signed(moved, null), isNaN(moved) ? "undefined" : "no interval", "\u2013"], words("none.pairs"));
        place(whisker, null);
        place(tick, Math.abs(moved) <= reach ? { cx: across(moved, reach), class: "hollow" } : null);
        continue;
      }
      asDrawn(whisker);
      asDrawn(tick);
      if (!family || !limits || Number(level) === data.level) {
        show(cells, texts);
        continue;
      }
      show(cells, [signed(family.value!, limits), bracketed(family.value!, limits), texts[2]!]);
      place(whisker, { x1: across(limits[0], reach), x2: across(limits[1], reach) });
      place(tick, { class: limits[0] > 0 || limits[1] < 0 ? "shown" : look && "hollow" });
    }
  };
}

function show(cells: (HTMLElement | null)[], texts: string[], title = ""): void {
  cells.forEach((cell, k) => {
    if (!cell) return;
    put(cell, texts[k]!);
    attrs(cell, { title: title || null });
  });
}

/** A place on an axis with zero in the middle. */
function across(value: number, reach: number): string {
  return `${(100 * within(0.5 + value / reach / 2, 0, 1)).toFixed(2)}%`;
}
