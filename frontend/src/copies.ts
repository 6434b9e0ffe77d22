// What is seen, as text for elsewhere. Names are someone else's words: each form escapes them in its own way.

import type { Data } from "./data";
import { type Estimate, type Measure, MEASURES } from "./point";
import { listed, plain, say } from "./said";
import { shownThreshold, type State } from "./state";
import { bracketed, general, number } from "./words";

export type Form = "latex" | "markdown" | "word" | "csv" | "python" | "command";

export const TITLES: Record<Measure, string> = {
  recall: "Recall",
  specificity: "Specificity",
  precision: "Precision",
  npv: "Negative predictive value",
  accuracy: "Accuracy",
  f1: "F1",
  fpr: "False-positive rate",
};

/** Everything a copy speaks of. */
export interface Seen {
  data: Data;
  state: State;
  estimates: Record<Measure, Estimate>;
  cost: number;
}

export function copyOf(form: Form, seen: Seen): string {
  return { latex, markdown, word, csv, python, command }[form](seen);
}

function rows({ estimates }: Seen): [Measure, Estimate][] {
  return MEASURES.map((name) => [name, estimates[name]]);
}

function title({ data, state }: Seen): string {
  const name = [data.class, data.models[state.chosen]!.name].filter(Boolean).join(", ");
  const threshold = shownThreshold(data, state, state.chosen);
  const at = isNaN(threshold)
    ? data.models[state.chosen]!.decided
    : `threshold ${threshold === Infinity ? "above every score" : general(threshold, 6)}`;
  const share = state.prevalence === null ? "" : `, prevalence ${general(state.prevalence, 4)}`;
  return `${name ? `${name}, ` : ""}${at}${share}`;
}

function interval({ value, limits }: Estimate): string {
  return limits ? bracketed(value, limits) : "";
}

function heading({ data }: Seen): string {
  return `${general(100 * data.level, 4)} % interval`;
}

/** The result as a paper says it: what the scores are worth, then the decisions where the controls stand. */
function paragraph(seen: Seen): string {
  const model = seen.data.models[seen.state.chosen]!;
  const told = rows(seen)
    .filter(([, { value }]) => isFinite(value))
    .map(([name, found]) => `${name === "f1" ? "F1" : TITLES[name].toLowerCase()} ${number(found.value, found.limits)} ${interval(found)}`.trim());
  const values = { at: title(seen), measures: listed(told), level: `${general(100 * seen.data.level, 4)} %` };
  return `${model.said} ${plain(say("copy.at", values))}`.trim();
}

function latex(seen: Seen): string {
  const body = rows(seen).map(([name, found]) => `${TITLES[name]} & ${number(found.value, found.limits)} & ${interval(found)} \\\\`);
  return [
    escapedLatex(paragraph(seen).replaceAll("\u00a0", " ")),
    "",
    "\\begin{tabular}{lrl}",
    "\\toprule",
    `\\multicolumn{3}{l}{${escapedLatex(title(seen))}} \\\\`,
    `Measure & Estimate & ${escapedLatex(heading(seen))} \\\\`,
    "\\midrule",
    ...body,
    "\\bottomrule",
    "\\end{tabular}",
    "",
  ].join("\n");
}

const LATEX: Record<string, string> = {
  "\\": "\\textbackslash{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
  "<": "\\textless{}",
  ">": "\\textgreater{}",
  "|": "\\textbar{}",
};

function escapedLatex(text: string): string {
  return text.replace(/[\\~^<>|{}#$%&_\r\n]/g, (sign) => LATEX[sign] ?? (/\s/.test(sign) ? " " : `\\${sign}`));
}

function markdown(seen: Seen): string {
  const body = rows(seen).map(([name, found]) => `| ${TITLES[name]} | ${number(found.value, found.limits)} | ${interval(found)} |`);
  const head = [escapedMarkdown(paragraph(seen).replaceAll("\u00a0", " ")), "", `| Measure | Estimate | ${heading(seen)} |`, "|---|---:|---|"];
  return [...head, ...body, ""].join("\n");
}

/** For a word processor: a paragraph and a table. */
function word(seen: Seen): string {
  const cell = (text: string): string => `<td>${escapedHtml(text)}</td>`;
  const body = rows(seen).map(([name, found]) => `<tr>${[TITLES[name], number(found.value, found.limits), interval(found)].map(cell).join("")}</tr>`);
  return `<p>${escapedHtml(paragraph(seen))}</p><table>${body.join("")}</table>`;
}

function escapedHtml(text: string): string {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

function escapedMarkdown(text: string): string {
  const entities: Record<string, string> = { "<": "&lt;", ">": "&gt;", "&": "&amp;", "@": "&#64;" };
  const marked = text.replace(/[\\`*_{}[\]<>#|~!$&@\r\n]/g, (c) => entities[c] ?? (/\s/.test(c) ? " " : `\\${c}`));
  return marked.replace(/:\/\//g, "&#58;//").replace(/www\./g, "www&#46;");
}

function csv(seen: Seen): string {
  const { data, state } = seen;
  const threshold = shownThreshold(data, state, state.chosen);
  const model = data.models[state.chosen]!.name;
  const of = data.class === undefined ? [] : [data.class];
  const facts = [...of, model, threshold === Infinity ? "inf" : isNaN(threshold) ? "" : threshold, state.prevalence ?? ""];
  const line = (cells: (string | number)[]): string => cells.map(cell).join(",");
  const body = rows(seen).map(([name, { value, limits }]) =>
    line([...facts, name, isFinite(value) ? value : "", limits?.[0] ?? "", limits?.[1] ?? ""]),
  );
  const cost = line([...facts, "expected_cost", isFinite(seen.cost) ? seen.cost : "", "", ""]);
  return [line([...of.map(() => "class"), "model", "threshold", "prevalence", "measure", "value", "low", "high"]), ...body, cost, ""].join("\n");
}

/** A cell that no spreadsheet takes for a formula. */
function cell(value: string | number): string {
  if (typeof value === "number") return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

// What the reader has to fill in where the page does not know how its data was read.
const FALLBACK = {
  one: "assay.evaluate(y_true, y_score)",
  several: "assay.evaluate_models(frame)",
  command: "assay evaluate FILE",
};

function python(seen: Seen): string {
  const { data, state } = seen;
  const threshold = shownThreshold(data, state, state.chosen);
  const isSeveral = data.models.length > 1;
  const made = data.python ?? (isSeveral ? FALLBACK.several : FALLBACK.one);
  const one = isSeveral ? `${made}[${JSON.stringify(data.models[state.chosen]!.name)}]` : made;
  const ev = data.class === undefined ? one : `${one}.against(${JSON.stringify(data.class)})`;
  const share = state.prevalence === null ? "" : `, prevalence=${state.prevalence}`;
  const costs = `costs=assay.Costs(fp=1, fn=${state.ratio}${share})`;
  const aim = state.pick === "f1" || state.pick === "youden" ? `"${state.pick}"${share}` : costs;
  const at = isNaN(threshold) ? "ev" : `ev.at(${threshold === Infinity ? 'float("inf")' : threshold})`;
  return ["import assay", "", `ev = ${ev}`, `print(${at}.table())`, `print(ev.threshold(${aim}).words())`, ""].join(
    "\n",
  );
}

function command(seen: Seen): string {
  const { data, state } = seen;
  const threshold = shownThreshold(data, state, state.chosen);
  const evaluate = data.command ?? FALLBACK.command;
  const of = data.class === undefined ? "" : ` --positive ${quoted(data.class)}`;
  const share = state.prevalence === null ? "" : ` --prevalence ${state.prevalence}`;
  const costs = `--cost-fp 1 --cost-fn ${state.ratio}`;
  const aim = state.pick === "f1" || state.pick === "youden" ? `--maximise ${state.pick}` : costs;
  const at = isFinite(threshold) ? ` --threshold ${threshold}` : "";
  return [`${evaluate}${of}${at}`, `${evaluate.replace("evaluate", "threshold")}${of} ${aim}${share}`, ""].join("\n");
}

/** A word of the command line, whatever is in it. */
function quoted(word: string): string {
  return /^[\w.-]+$/.test(word) && !word.startsWith("-") ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
