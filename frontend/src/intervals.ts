// Intervals in closed form: the same formulas, and the same silences, as the Python library.

import { words } from "./said";

export type Limits = [number, number];

// The smallest matrices whose intervals were simulated, and the cell below which logarithms are far from normal.
export const FEWEST_FOR_MATRIX = 10;
const FEWEST_FOR_RATIO = 30;
const SMALL_FOR_LOG_SCALE = 10;

// The last level that was asked for: it is asked for again with every threshold.
let known: Limits = [NaN, NaN];

/** The normal quantile that leaves (1 - level) / 2 on either side: Newton's steps on the normal distribution. */
export function zOf(level: number): number {
  if (level === known[0]) return known[1];
  const wanted = level / 2;
  let z = 0;
  for (let step = 0; step < 60; step++) {
    const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
    // From 0 to z the distribution is the density times a series that loses no digit.
    let [sum, term] = [z, z];
    for (let k = 3; term > 1e-17 * sum; k += 2) sum += term *= (z * z) / k;
    const next = z + (wanted - density * sum) / density;
    const isThere = Math.abs(next - z) < 1e-15 * next;
    z = next;
    if (isThere) break;
  }
  known = [level, z];
  return z;
}

/** Wilson (1927): all shares that a score test does not reject. */
export function wilson(part: number, whole: number, z: number): Limits {
  const centre = (part + (z * z) / 2) / (whole + z * z);
  const half = (z / (whole + z * z)) * Math.sqrt(Math.max((part * (whole - part)) / whole, 0) + (z * z) / 4);
  return [part <= 0 ? 0 : Math.max(0, centre - half), part >= whole ? 1 : Math.min(1, centre + half)];
}

/** F1 is 2J / (1 + J) of the Jaccard share J of hits among hits and errors, so Wilson's limits carry over. */
export function f1Limits(tp: number, errors: number, z: number): Limits {
  const carried = (share: number): number => (2 * share) / (1 + share);
  const [low, high] = wilson(tp, tp + errors, z);
  return [carried(low), carried(high)];
}

/**
 * A predictive value where the cases it is right about are `odds` times as common as the others: x1 of n1 are called
 * so rightly, x0 of n0 wrongly. Normal on the logit scale (Mercaldo, Lau & Zhou), or from Wilson's limits of either
 * share (Donner & Zou) where a cell is small.
 */
export function predictive(x1: number, n1: number, x0: number, n0: number, odds: number, z: number): Limits | string {
  const all = n1 + n0;
  if (all < FEWEST_FOR_RATIO) return tooFew(all, FEWEST_FOR_RATIO);
  if (Math.min(x1, n1 - x1, x0, n0 - x0) >= SMALL_FOR_LOG_SCALE) {
    const value = (odds * (x1 / n1)) / (x0 / n0);
    const factor = Math.exp(z * Math.sqrt(1 / x1 - 1 / n1 + 1 / x0 - 1 / n0));
    return [share(value / factor), share(value * factor)];
  }
  if (x0 > 0) {
    const [low, high] = ratioLimits(x1, n1, x0, n0, z);
    return [share(odds * low), share(odds * high)];
  }
  const [low, high] = ratioLimits(x0, n0, x1, n1, z);
  return [1 - share(high / odds), 1 - share(low / odds)];
}

/** Why a small matrix has no interval. */
export function tooFew(cases: number, fewest: number): string {
  const counted = cases === 1 ? "1 case" : `${Math.round(cases)} cases`;
  return words("none.few", { counted, fewest: String(fewest) });
}

function ratioLimits(x1: number, n1: number, x0: number, n0: number, z: number): Limits {
  const [p1, p0] = [x1 / n1, x0 / n0];
  const [l1, u1] = wilson(x1, n1, z);
  const [l0, u0] = wilson(x0, n0, z);
  const product = p1 * p0;
  const below = Math.max(product ** 2 - l1 * u0 * (2 * p1 - l1) * (2 * p0 - u0), 0);
  const above = Math.max(product ** 2 - u1 * l0 * (2 * p1 - u1) * (2 * p0 - l0), 0);
  return [(product - Math.sqrt(below)) / (u0 * (2 * p0 - u0)), (product + Math.sqrt(above)) / (l0 * (2 * p0 - l0))];
}

function share(odds: number): number {
  return isFinite(odds) ? odds / (1 + odds) : 1;
}
