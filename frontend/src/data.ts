// What the page gives the script: counts at thresholds, never a case; and the sentences to be filled.

import { one } from "./dom";
import { speak } from "./said";

export interface Model {
  name: string;
  n: number;
  positives: number;
  negatives: number;
  /** Null where labels were given, or the highest score decided. */
  used: number | null;
  /** What decides while no threshold has been chosen. */
  decided?: string;
  /** True and false positives of that. */
  given?: [number, number];
  /** Falling; infinity (nobody is predicted positive) first. */
  threshold: number[];
  tp: number[];
  fp: number[];
  /** Indices of the corners of the ROC hull, both ends included. */
  hull: number[];
  /** True and false positives of acting from each hundredth on, 0.01 to 0.99. */
  acts?: [number[], number[]];
  /** Shares of hits, misses, rightly passed and false alarms that are kept, from the surest cases on. */
  sure?: number[][];
  /** Its name beside other models. */
  title?: string;
  /** The commonest class, where the page cautions that always predicting it is right more often. */
  majority?: string;
  /** Beside the line about one model: the caution other than that, and the section it leads to; `first` where it is graver. */
  good?: { code: string; text: string; link: string; words: string; first: boolean };
  /** What a paper would say of the scores. */
  said: string;
  /** Whether somebody chose the threshold that was used. */
  asked: boolean;
  /** At each cost ratio what the cheapest threshold saves on cases that did not choose it, with limits where known. */
  saves: ([number] | [number, number, number])[];
  /** Why Wilson's intervals do not hold here, where they do not. */
  no_interval?: string;
}

/** The difference of one measure between two models at each level, adjusted in its family. */
export interface Family {
  /** The measure that is asked for, which stands alone, or one of the others, adjusted among themselves. */
  role: "primary" | "secondary";
  /** The measure, and the controls that it depends on. */
  name: string;
  depends: string;
  /** Whether a margin is about it. */
  within: boolean;
  title: string;
  /** The title inside a sentence. */
  plain: string;
  /** The title inside a sentence, with the threshold that it was computed at. */
  named: string;
  better: "higher" | "lower" | "neither";
  value: number | null;
  levels: Record<string, [number, number] | null>;
}

/** At one cost ratio who is the cheapest, and how far from each of the others. */
export interface Cheapest {
  best: number;
  costs: number[];
  apart: [number, number, number][];
}

/** Rows behind the cells of one model's confusion matrix, cell by cell, the most surely wrong first. */
export interface Rows {
  /** Its number among the models that can be moved. */
  model: number | null;
  /** How many there are in all; these are some of them. */
  n: number;
  classes: string[];
  decisions: string[];
  /** True class and label of the pairs that are listed where there are too many classes for a matrix. */
  pairs: [number, number][];
  row: number[];
  /** What the rows are called, where they have ids. */
  id?: string[];
  truth: number[];
  called: number[];
  /** Of two classes that of the positive one, of many that of the label. */
  score?: number[];
  /** Of many classes that of the true one. */
  own?: number[];
}

/** What the controls move: two classes, or one of many against the rest. */
export interface Data {
  level: number;
  /** How much further out limits are taken because several folds' models made the scores. */
  stretch?: number;
  ratio: number;
  class?: string;
  command?: string;
  python?: string;
  models: Model[];
  /** What a miss may cost, in false alarms: where the slider stops. */
  ratios: number[];
  /** The negative class and the positive one, as sentences call them. */
  labels?: [string, string];
  /** Answers that look at no case, as the names of baselines say them: always the negative class, always the positive. */
  constants?: [string, string];
  /** The names of both classes, as a sentence about answers that look at no case says them. */
  answers?: [string, string];
  names?: string[];
  families?: Family[];
  /** What limits and p-values are adjusted for. */
  adjusted?: string;
  margin?: number;
  cheapest?: Cheapest[];
  not_cheapest?: string;
}

export interface Page {
  /** One for each class that is shown; of two classes one alone. */
  parts: Data[];
  /** The class the page was written with. */
  first: number;
  rows: (Rows | null)[];
}

type Raw = Record<string, any>;

/** The page's data, or null where it has none that this script understands. */
export function readPage(): Page | null {
  let raw: Raw;
  try {
    raw = JSON.parse(one("#assay-data")!.textContent!);
  } catch {
    return null;
  }
  const { classes, schema, first = 0, rows = [], templates, ...shared } = raw;
  if (schema !== 2) return null;
  speak(templates);
  const parts = ((classes ?? [raw]) as Raw[])
    .map((part) => ({ ...shared, ...part, models: (part.models ?? []).filter(hasCurve).map(toModel) }))
    .filter(({ models }) => models.length) as unknown as Data[];
  return { parts, first, rows };
}

/** Models without scores keep no thresholds: there is nothing to move. */
function hasCurve(raw: Raw): boolean {
  return [raw.threshold, raw.tp, raw.fp, raw.hull].every((list) => list?.length > 1);
}

function toModel(raw: Raw): Model {
  const threshold = (raw.threshold as (number | null)[]).map((t) => t ?? Infinity);
  return { ...(raw as Model), threshold, ...(raw.steps && { tp: summed(raw.tp), fp: summed(raw.fp) }) };
}

function summed(steps: number[]): number[] {
  let sum = 0;
  return steps.map((step) => (sum += step));
}
