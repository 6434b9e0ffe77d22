// Where the controls stand, and how that is written into the address.

import type { Data, Model, Page } from "./data";
import { zOf } from "./intervals";
import { bestBy, cheapest, type World } from "./point";

export type Unit = "score" | "flagged" | "recall" | "fpr";
export type Picked = "" | "cost" | "f1" | "youden";
export const UNITS: readonly Unit[] = ["score", "flagged", "recall", "fpr"];
export const PICKS: readonly Picked[] = ["cost", "f1", "youden"];

export const RATIO_ENDS = [0.01, 100] as const;
export const PREVALENCE_ENDS = [0.001, 0.999] as const;

/** Decisions were given as labels, and no threshold was chosen yet. */
export const LABELS = -1;

export interface State {
  /** Which of many classes is shown. */
  of: number;
  chosen: number;
  /** For each model the place among its thresholds; LABELS while given labels decide. */
  at: number[];
  unit: Unit;
  pick: Picked;
  ratio: number;
  /** Null while it is the data's. */
  prevalence: number | null;
  /** False-positive rate of the point clicked under the hull. */
  mix: number | null;
  /** Of the verdicts; null while they are as written. */
  level: number | null;
  margin: number | null;
}

export function initial(page: Page, of = page.first): State {
  return { ...initialOf(page.parts[of]!), of };
}

/** The state of the page as written. */
export function initialOf(data: Data): State {
  return {
    of: 0,
    chosen: 0,
    at: data.models.map(usedOf),
    unit: "score",
    pick: "",
    ratio: data.ratio,
    prevalence: null,
    mix: null,
    level: null,
    margin: data.margin ?? null,
  };
}

/** Where a model stands on the page as written. */
export function usedOf(model: Model): number {
  return model.used === null ? LABELS : cutOf(model, model.used);
}

/** The cut that a threshold makes: the lowest of the thresholds that are at least as high. */
export function cutOf(model: Model, threshold: number): number {
  let [low, high] = [0, model.threshold.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (model.threshold[middle]! >= threshold) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The share of positives in the data. */
export function ownShare(model: Model): number {
  return model.positives / (model.positives + model.negatives);
}

export function worldOf(data: Data, state: State, model: Model): World {
  return {
    prevalence: state.prevalence ?? ownShare(model),
    isOwn: state.prevalence === null,
    ratio: state.ratio,
    z: zOf(data.level) * (data.stretch ?? 1),
  };
}

/** The threshold to show; nan while labels decide. */
export function shownThreshold(data: Data, state: State, k: number): number {
  return data.models[k]!.threshold[state.at[k]!] ?? NaN;
}

export function moveTo(state: State, k: number, index: number): void {
  state.at[k] = index;
  state.pick = "";
}

/** Bring every model to the threshold that is the best for what was picked. */
export function follow(data: Data, state: State): void {
  if (!state.pick) return;
  data.models.forEach((model, k) => {
    const world = worldOf(data, state, model);
    const found = state.pick === "cost" ? cheapest(model, world) : bestBy(state.pick as "f1" | "youden", model, world);
    if (found !== null) state.at[k] = found;
  });
}

/** Another class: what belongs to the one before (thresholds, prevalence, the point clicked) is left behind. */
export function turnTo(page: Page, state: State, of: number): State {
  const next = { ...state, of, at: initial(page, of).at, prevalence: null, mix: null };
  next.chosen = Math.min(state.chosen, next.at.length - 1);
  follow(page.parts[of]!, next);
  return next;
}

export function backToUsed(data: Data, state: State): void {
  state.at = data.models.map(usedOf);
  state.pick = "";
}

/** Only what differs from the page as written. */
export function toHash(page: Page, state: State): string {
  const data = page.parts[state.of]!;
  const isMoved = (at: number, k: number): boolean => at !== usedOf(data.models[k]!);
  const places = state.at.map((at, k) => (isMoved(at, k) ? shownThreshold(data, state, k) : "")).join("_");
  const { of, chosen, pick, ratio, prevalence, unit, mix, level, margin } = state;
  const parts: [string, boolean, unknown][] = [
    ["class", of !== page.first, of],
    ["model", chosen > 0, chosen],
    ["pick", !!pick, pick],
    ["t", !pick && state.at.some(isMoved), places],
    ["ratio", ratio !== data.ratio, ratio],
    ["prevalence", prevalence !== null, prevalence],
    ["unit", unit !== "score", unit],
    ["mix", mix !== null, mix],
    ["level", level !== null, level],
    ["margin", margin !== (data.margin ?? null), margin ?? 0],
  ];
  return String(new URLSearchParams(parts.filter(([, is]) => is).map(([name, , value]) => [name, String(value)])));
}

/** The state an address asks for; whatever in it makes no sense is left as the page was written. */
export function fromHash(page: Page, hash: string): State {
  const asked = new URLSearchParams(hash.slice(1));
  const text = (name: string): string => asked.get(name) ?? "";
  const within = (name: string, low: number, high: number): number | null => {
    const value = Number(text(name) || NaN);
    return value >= low && value <= high ? value : null;
  };
  const state = initial(page, Math.floor(within("class", 0, page.parts.length - 1) ?? page.first));
  const data = page.parts[state.of]!;
  state.chosen = Math.floor(within("model", 0, data.models.length - 1) ?? 0);
  state.unit = UNITS.find((unit) => unit === text("unit")) ?? "score";
  state.ratio = within("ratio", ...RATIO_ENDS) ?? data.ratio;
  state.prevalence = within("prevalence", ...PREVALENCE_ENDS);
  state.mix = within("mix", 0, 1);
  state.level = text("level") in (data.families?.[0]?.levels ?? {}) ? Number(text("level")) : null;
  const margin = within("margin", 0, Infinity);
  if (margin !== null) state.margin = margin || null;
  text("t")
    .split("_")
    .slice(0, data.models.length)
    .forEach((word, k) => {
      const threshold = Number(word || NaN);
      if (!isNaN(threshold)) moveTo(state, k, cutOf(data.models[k]!, threshold));
    });
  state.pick = PICKS.find((pick) => pick === text("pick")) ?? "";
  follow(data, state);
  return state;
}
