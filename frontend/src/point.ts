// What one threshold means: counts, measures with intervals, cost, the cheapest corner of the hull.

import type { Model } from "./data";
import { least } from "./dom";
import { FEWEST_FOR_MATRIX, f1Limits, type Limits, predictive, tooFew, wilson } from "./intervals";
import { type Key, words } from "./said";

/** The world the decisions are made in. */
export interface World {
  /** Share of positives. */
  prevalence: number;
  /** Whether that is the share in the data. */
  isOwn: boolean;
  /** How many false alarms a miss is worth. */
  ratio: number;
  z: number;
}

export interface Estimate {
  value: number;
  limits: Limits | null;
  /** Why there is no value or no interval. */
  reason: string;
}

export const MEASURES = ["recall", "specificity", "precision", "npv", "accuracy", "f1", "fpr"] as const;
export type Measure = (typeof MEASURES)[number];

export interface Point {
  index: number;
  tp: number;
  fp: number;
  fn: number;
  tn: number;
  recall: number;
  fpr: number;
  precision: number;
  /** Share of cases called positive, at the prevalence chosen. */
  flagged: number;
  /** What a case costs, in false alarms. */
  cost: number;
}

// Values closer than this, relative to the largest, are equal: they differ by rounding.
const ROUNDING = 1e-12;

export function pointAt(model: Model, index: number, world: World): Point {
  const [tp, fp] = index < 0 ? (model.given ?? [NaN, NaN]) : [model.tp[index]!, model.fp[index]!];
  const [fn, tn] = [model.positives - tp, model.negatives - fp];
  const [recall, fpr] = [tp / model.positives, fp / model.negatives];
  const share = world.prevalence;
  const flagged = world.isOwn ? (tp + fp) / (model.positives + model.negatives) : share * recall + (1 - share) * fpr;
  const precision = world.isOwn ? tp / (tp + fp) : (share * recall) / flagged;
  return { index, tp, fp, fn, tn, recall, fpr, precision, flagged, cost: costOf(recall, fpr, world) };
}

/** What a case costs on average where a false alarm costs 1. */
export function costOf(recall: number, fpr: number, world: World): number {
  return world.prevalence * world.ratio * (1 - recall) + (1 - world.prevalence) * fpr;
}

/** What the cheaper of the two answers that look at no case costs. */
export function constantCost(world: World): number {
  return Math.min(world.prevalence * world.ratio, 1 - world.prevalence);
}

/** The slope of lines of equal cost in ROC space. */
export function slopeOf(world: World): number {
  return (1 - world.prevalence) / (world.prevalence * world.ratio);
}

/** The cheapest threshold: the corner of the hull that a line of equal cost touches first. */
export function cheapest(model: Model, world: World): number | null {
  if (!model.hull.length || !(model.positives > 0) || !(model.negatives > 0)) return null;
  return cheapestAt(model, 1 / slopeOf(world));
}

/** The same where missing no positive is worth so many false alarms among all negatives. */
export function cheapestAt(model: Model, weight: number): number {
  const { hull } = model;
  return hull[
    least(hull.length, (k) => {
      const [recall, fpr] = ratesAt(model, hull[k]!);
      return -(weight * recall - fpr - ROUNDING * fpr);
    })
  ]!;
}

/** Recall and false-positive rate at a threshold. */
export function ratesAt(model: Model, at: number): [number, number] {
  return [model.tp[at]! / model.positives, model.fp[at]! / model.negatives];
}

/** The threshold with the highest F1 or Youden's J; of equally good ones that which calls the fewest positive. */
export function bestBy(pick: "f1" | "youden", model: Model, { prevalence }: World): number {
  const gains = model.threshold.map((_, i) => {
    const [t, f] = ratesAt(model, i);
    return pick === "youden" ? t - f : (2 * prevalence * t) / (prevalence * t + prevalence + (1 - prevalence) * f);
  });
  const top = Math.max(...gains);
  return Math.max(0, gains.findIndex((gain) => gain >= top - ROUNDING * Math.max(1, Math.abs(top))));
}

/** Every measure of the decisions at a point, with its interval where one holds. */
export function measuresAt(model: Model, point: Point, world: World, wasChosen: boolean): Record<Measure, Estimate> {
  const { tp, fp, fn, tn, recall, fpr } = point;
  const [all, share, z] = [tp + fp + fn + tn, world.prevalence, world.z];
  const why = model.no_interval ?? (wasChosen ? words("none.chosen") : "");
  const given = (value: number, limits: Limits | string, undefined_: Key): Estimate => {
    const reason = isFinite(value) ? why || (typeof limits === "string" ? limits : "") : words(undefined_);
    return { value, limits: reason ? null : (limits as Limits), reason };
  };
  const ofShare = (part: number, whole: number, undefined_: Key): Estimate =>
    given(part / whole, whole > 0 ? wilson(part, whole, z) : "", undefined_);
  const rates = {
    recall: ofShare(tp, tp + fn, "none.positive"),
    specificity: ofShare(tn, tn + fp, "none.negative"),
    fpr: ofShare(fp, tn + fp, "none.negative"),
  };
  if (world.isOwn) {
    const carried = all < FEWEST_FOR_MATRIX ? tooFew(model.n, FEWEST_FOR_MATRIX) : f1Limits(tp, fp + fn, z);
    return {
      ...rates,
      precision: ofShare(tp, tp + fp, "none.flagged"),
      npv: ofShare(tn, tn + fn, "none.passed"),
      accuracy: ofShare(tp + tn, all, "none.cases"),
      f1: given((2 * tp) / (2 * tp + fp + fn), carried, "none.hits"),
    };
  }
  // At another prevalence predictive values have closed forms, other mixtures of both classes have none.
  const [n1, n0, odds] = [model.positives, model.negatives, share / (1 - share)];
  const [hits, passed, alarms, missed] = [share * recall, (1 - share) * (1 - fpr), (1 - share) * fpr, share * (1 - recall)];
  const elsewhere = words("none.elsewhere");
  return {
    ...rates,
    precision: given(hits / (hits + alarms), tp + fp > 0 ? predictive(tp, n1, fp, n0, odds, z) : "", "none.flagged"),
    npv: given(passed / (passed + missed), tn + fn > 0 ? predictive(tn, n0, fn, n1, 1 / odds, z) : "", "none.passed"),
    accuracy: given(hits + passed, elsewhere, "none.class"),
    f1: given((2 * hits) / (2 * hits + alarms + missed), elsewhere, "none.class"),
  };
}

/** How to reach a point under the hull by chance between the two corners that stand on either side of it. */
export interface Mixture {
  first: number;
  second: number;
  /** Of cases, drawn at random, that are decided by the second threshold. */
  share: number;
  fpr: number;
  recall: number;
}

export function mixtureAt(model: Model, fpr: number): Mixture | null {
  const { hull } = model;
  if (hull.length < 2) return null;
  let at = hull.length - 1;
  while (at > 0 && ratesAt(model, hull[at]!)[1] > fpr) at--;
  const [first, second] = [hull[at]!, hull[Math.min(at + 1, hull.length - 1)]!];
  const [[t0, f0], [t1, f1]] = [ratesAt(model, first), ratesAt(model, second)];
  const share = f1 > f0 ? (fpr - f0) / (f1 - f0) : 0;
  return { first, second, share, fpr: (1 - share) * f0 + share * f1, recall: (1 - share) * t0 + share * t1 };
}

/** The highest recall a single threshold reaches with no more false alarms than this. */
export function recallAt(model: Model, fpr: number): number {
  return Math.max(0, ...model.threshold.map((_, i) => ratesAt(model, i)).map(([t, f]) => (f <= fpr ? t : 0)));
}
