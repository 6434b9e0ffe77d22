// What the page gives the script: counts at thresholds, never a case.

export interface Model {
  name: string;
  n: number;
  positives: number;
  negatives: number;
  /** Null where labels were given. */
  cutoff: number | null;
  /** Falling; infinity (nobody is called positive) first. */
  threshold: number[];
  tp: number[];
  fp: number[];
  /** Indices of the corners of the ROC hull, both ends included. */
  hull: number[];
  /** Why Wilson's intervals do not hold here, where they do not. */
  no_interval?: string;
}

export interface Comparison {
  first: string;
  second: string;
  title: string;
  better: "higher" | "lower" | "neither";
  difference: number | null;
  low: number | null;
  high: number | null;
  level: number;
  method: string;
  p: number | null;
  n: number;
  /** Standard error, where the interval is difference ± z error. */
  error?: number;
  adjusted?: string;
  undefined?: string;
}

export interface Data {
  level: number;
  prevalence: number;
  ratio: number;
  source?: string;
  command?: string;
  python?: string;
  models: Model[];
  comparisons: Comparison[];
}

type Raw = Record<string, unknown>;

/** The page's data, or null where it has none that this script understands. */
export function readData(page: Document): Data | null {
  const text = page.getElementById("assay-data")?.textContent;
  if (!text) return null;
  let raw: Raw;
  try {
    raw = JSON.parse(text) as Raw;
  } catch {
    return null;
  }
  if (raw.schema !== 1 || !Array.isArray(raw.models)) return null;
  const models = (raw.models as Raw[]).filter(hasCurve).map(toModel);
  if (!models.length) return null;
  const first = models[0]!;
  return {
    level: asNumber(raw.level, 0.95),
    prevalence: asNumber(raw.prevalence, first.positives / (first.positives + first.negatives)),
    ratio: asNumber(raw.ratio, 1),
    ...texts(raw, ["source", "command", "python"]),
    models,
    comparisons: Array.isArray(raw.comparisons) ? (raw.comparisons as Comparison[]) : [],
  };
}

/** Models without scores keep no thresholds: there is nothing to move. */
function hasCurve(raw: Raw): boolean {
  return [raw.threshold, raw.tp, raw.fp].every((list) => Array.isArray(list) && list.length > 1);
}

function toModel(raw: Raw): Model {
  const threshold = (raw.threshold as (number | null)[]).map((t) => t ?? Infinity);
  const hull = Array.isArray(raw.hull) ? (raw.hull as number[]).filter((i) => i >= 0 && i < threshold.length) : [];
  return { ...(raw as unknown as Model), name: String(raw.name ?? ""), threshold, hull };
}

function asNumber(value: unknown, otherwise: number): number {
  return typeof value === "number" && isFinite(value) ? value : otherwise;
}

function texts(raw: Raw, names: string[]): Partial<Data> {
  return Object.fromEntries(names.filter((name) => typeof raw[name] === "string").map((name) => [name, raw[name]]));
}
