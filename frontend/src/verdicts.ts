// What a difference and its interval allow one to say, while level and margin move.

import type { Comparison } from "./data";
import { zOf } from "./intervals";
import { bracketed, count, fixed, general, signed } from "./words";

const POWER = 0.8;

interface Found {
  low: number;
  high: number;
}

/** The interval at a level: another one where the standard error is known, else only as written. */
function intervalAt(found: Comparison, level: number | null): Found | null {
  if (found.low === null || found.high === null || found.difference === null) return null;
  if (level === null || level === found.level) return { low: found.low, high: found.high };
  if (found.error === undefined) return null;
  const reach = zOf(level) * found.error;
  return { low: found.difference - reach, high: found.difference + reach };
}

/** The verdict in words, a line each. */
export function verdictLines(found: Comparison, level: number | null, margin: number | null): string[] {
  const at = intervalAt(found, level) ?? intervalAt(found, null);
  const what = `${found.title} difference (${found.first} - ${found.second})`;
  const apart = `Cannot tell ${found.first} and ${found.second} apart.`;
  if (found.difference === null) return [`${apart}  ${what}: undefined, ${found.undefined ?? ""}`.trimEnd()];
  const limits = at && ([at.low, at.high] as const);
  const value = signed(found.difference, limits);
  if (!at || !limits) return [`${apart}  ${what} ${value}, no interval: ${found.undefined ?? ""}`.trimEnd()];
  const lines = [
    `${headline(found, at)}  ${what} ${value} ${bracketed(found.difference, limits)}, ${test(found)}`,
  ];
  if (margin !== null) {
    const outcome = outcomeOf(at, margin);
    lines.push(`With a margin of ${general(margin, 6)}: ${aboutMargin(found, at, outcome)}`);
    lines.push(...aboutSize(found, at, outcome, margin));
  } else if (outcomeOf(at, 0) === "cannot tell") {
    const z = zOf(level !== null && found.error !== undefined ? level : found.level);
    const detectable = (((at.high - at.low) / 2) * (z + zOf(2 * POWER - 1))) / z;
    lines.push(`A difference of ${general(detectable, 2)} would show in 4 of 5 samples of this size.`);
  }
  return lines;
}

function test(found: Comparison): string {
  const p = found.p === null ? "" : found.p < 0.001 ? " p < 0.001" : ` p = ${fixed(found.p, 3)}`;
  return `${found.method}${p}${found.adjusted ? `, ${found.adjusted}` : ""}`;
}

type Outcome = "better" | "practically the same" | "better, perhaps by less than the margin" | "cannot tell";

function outcomeOf({ low, high }: Found, margin: number): Outcome {
  if (margin > 0 && -margin <= low && high <= margin) return "practically the same";
  if (low > margin || high < -margin) return "better";
  if (margin > 0 && (low > 0 || high < 0)) return "better, perhaps by less than the margin";
  return "cannot tell";
}

function headline(found: Comparison, at: Found): string {
  if (outcomeOf(at, 0) !== "better") return `Cannot tell ${found.first} and ${found.second} apart.`;
  if (found.better === "neither") return `${found.first} and ${found.second} differ.`;
  const isFirst = found.difference! > 0 === (found.better === "higher");
  const [winner, loser] = isFirst ? [found.first, found.second] : [found.second, found.first];
  return `${winner} is better than ${loser}.`;
}

function aboutMargin(found: Comparison, { low, high }: Found, outcome: Outcome): string {
  if (outcome === "practically the same" && (low > 0 || high < 0)) return `${outcome}, though not equal: 0 is excluded`;
  return found.better === "neither" ? outcome.replace("better", "different") : outcome;
}

/** How many more cases would make the interval as narrow as the margin; from its width alone. */
function aboutSize(found: Comparison, { low, high }: Found, outcome: Outcome, margin: number): string[] {
  if (outcome === "better" || outcome === "practically the same") return [];
  const wanted = found.n * ((high - low) / 2 / margin) ** 2 - found.n;
  const more = Math.max(0, Math.ceil(Math.round(wanted * 1e6) / 1e6));
  if (!more) return ["The interval is already as narrow as the margin: the difference lies near it."];
  return [
    `About ${count(more)} more ${more === 1 ? "case" : "cases"} would make the interval as narrow as the margin.`,
  ];
}
