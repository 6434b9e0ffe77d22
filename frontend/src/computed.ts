// At what settings parts of the page were computed: the same rules as assay/report/live_text.py and live_cautions.py.

import type { Data, Model } from "./data";
import { pointAt } from "./point";
import { listed, words } from "./said";
import { ownShare, type State, usedOf, worldOf } from "./state";
import { general, levelWords, percent, ratioWords, thresholdWords } from "./words";

// Statistical cautions appear where chance alone would make them appear once in a hundred times.
const RARELY_BY_CHANCE = 0.01;

/** The thresholds of several models: one for all of them, or each with its model. */
export function thresholdsWords(data: Data, at: number[]): string {
  const found = data.models.map(({ threshold }, k) => thresholdWords(threshold[at[k]!] ?? NaN));
  return new Set(found).size === 1 ? found[0]! : found.map((text, k) => `${text} (${titleOf(data.models[k]!)})`).join(", ");
}

function titleOf({ title, name }: Model): string {
  return title ?? name;
}

export function isMoved(data: Data, state: State): boolean {
  return data.models.some((model, k) => state.at[k] !== usedOf(model));
}

/** The note of a part that depends on these controls; nothing where none of them has moved. */
export function computedAt(data: Data, state: State, controls: string): string {
  const values: string[] = [];
  if (controls.includes("threshold") && isMoved(data, state))
    values.push(words("computed.threshold", { threshold: thresholdsWords(data, data.models.map(usedOf)) }));
  if (controls.includes("prevalence") && state.prevalence !== null) values.push(ofShare(data.models[0]!));
  if (controls.includes("ratio") && state.ratio !== data.ratio) values.push(ratioWords(data.ratio));
  if (controls.includes("level") && (state.level ?? data.level) !== data.level) values.push(words("computed.level", { level: levelWords(data.level) }));
  if (controls.includes("margin") && state.margin !== (data.margin ?? null))
    values.push(words("computed.margin", { margin: general(data.margin ?? 0, 6) }));
  return values.length ? words("computed.at", { values: listed(values) }) : "";
}

function ofShare(model: Model): string {
  return words("computed.prevalence", { share: percent(ownShare(model)) });
}

/** The caution that always predicting the commonest class is right more often; nothing where it does not apply. */
export function majorityCaution(data: Data, state: State, k: number): string {
  const model = data.models[k]!;
  const { positives, negatives } = model;
  const { tp, fp, fn, tn } = pointAt(model, state.at[k]!, worldOf(data, { ...state, prevalence: null }, model));
  const [lost, won] = positives > negatives ? [fn, tn] : [fp, tp];
  const n = positives + negatives;
  if (!(atLeast(lost, lost + won) < RARELY_BY_CHANCE)) return "";
  const found = words("caution.majority", {
    name: model.majority!,
    majority: percent(Math.max(positives, negatives) / n),
    accuracy: percent((tp + tn) / n),
  });
  return `${model.title ? `${model.title}: ` : ""}${found}${state.prevalence === null ? "" : ` ${words("computed.at", { values: ofShare(model) })}`}`;
}

/** How likely so many or more of n tosses of a fair coin are heads. */
function atLeast(heads: number, n: number): number {
  if (!(2 * heads > n)) return 1;
  let term = Math.exp(logFactorial(n) - logFactorial(heads) - logFactorial(n - heads) - n * Math.LN2);
  let sum = 0;
  for (let k = heads; k <= n && term > 1e-17 * sum; k++) {
    sum += term;
    term *= (n - k) / (k + 1);
  }
  return sum;
}

function logFactorial(n: number): number {
  if (n < 20) return Array.from({ length: n }, (_, k) => Math.log(k + 1)).reduce((a, b) => a + b, 0);
  // Stirling's series.
  const x = n + 1;
  return (x - 0.5) * Math.log(x) - x + Math.log(2 * Math.PI) / 2 + 1 / (12 * x) - 1 / (360 * x ** 3);
}
