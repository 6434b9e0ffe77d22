// What is seen, as text for elsewhere. Names are someone else's words: each form escapes them in its own way.

import type { Data } from "./data";
import { csvLine } from "./downloads";
import { type Estimate, type Measure, MEASURES } from "./point";
import { type Key, listed, words } from "./said";
import { shownThreshold, type State } from "./state";
import { bracketed, general, number } from "./words";

/** The text of each form of copy, made when it is asked for. */
export function copiesOf(data: Data, state: State, estimates: Record<Measure, Estimate>, cost: number): Record<string, () => string> {
  const model = data.models[state.chosen]!;
  const threshold = shownThreshold(data, state, state.chosen);
  const { prevalence, ratio } = state;
  const [isSeveral, isUnset] = [data.models.length > 1, isNaN(threshold)];
  const pick = state.pick === "cost" ? "" : state.pick;
  const level = `${general(100 * data.level, 4)} %`;
  const decided = isUnset ? model.decided : `threshold ${threshold === Infinity ? "above every score" : general(threshold, 6)}`;
  const share = prevalence === null ? "" : `prevalence ${general(prevalence, 4)}`;
  const title = [data.class, model.name, decided, share].filter(Boolean).join(", ");
  const head = ["Measure", "Estimate", `${level} interval`];
  const rows = MEASURES.map((name) => {
    const { value, limits } = estimates[name];
    return [words(`copy.${name}` as Key), number(value, limits), limits ? bracketed(value, limits) : ""] as const;
  });
  // The result as a paper says it: what the scores are worth, then the decisions where the controls stand.
  const told = rows
    .filter((_, k) => isFinite(estimates[MEASURES[k]!].value))
    .map(([name, ...found]) => `${name === "F1" ? name : name.toLowerCase()} ${found.join(" ")}`.trim());
  const paragraph = `${model.said} ${words("copy.at", { at: title, measures: listed(told), level })}`.trim();
  const spaced = paragraph.replaceAll("\u00a0", " ");
  const lines = (...parts: string[]): string => [...parts, ""].join("\n");

  return {
    latex: () =>
      lines(
        escapedLatex(spaced),
        "",
        "\\begin{tabular}{lrl}",
        "\\toprule",
        `\\multicolumn{3}{l}{${escapedLatex(title)}} \\\\`,
        `${escapedLatex(head.join("\t")).replaceAll("\t", " & ")} \\\\`,
        "\\midrule",
        ...rows.map((row) => `${row.join(" & ")} \\\\`),
        "\\bottomrule",
        "\\end{tabular}",
      ),
    markdown: () =>
      lines(escapedMarkdown(spaced), "", `| ${head.join(" | ")} |`, "|---|---:|---|", ...rows.map((row) => `| ${row.join(" | ")} |`)),
    // For a word processor: a paragraph and a table.
    word: () => {
      const body = rows.map((row) => `<tr>${row.map((text) => `<td>${escapedHtml(text)}</td>`).join("")}</tr>`);
      return `<p>${escapedHtml(paragraph)}</p><table>${body.join("")}</table>`;
    },
    csv: () => {
      const of = data.class === undefined ? [] : [data.class];
      const facts = [...of, model.name, threshold === Infinity ? "inf" : isUnset ? "" : threshold, prevalence ?? ""];
      const finite = (value: number): number | string => (isFinite(value) ? value : "");
      const heads = [...of.map(() => "class"), "model", "threshold", "prevalence", "measure", "value", "low", "high"];
      const found = MEASURES.map((name) => [name, finite(estimates[name].value), ...(estimates[name].limits ?? ["", ""])]);
      const body = [...found, ["expected_cost", finite(cost), "", ""]].map((cells) => [...facts, ...cells]);
      return [heads, ...body].map(csvLine).join("");
    },
    python: () => {
      // What the reader has to fill in where the page does not know how its data was read.
      const made = data.python ?? (isSeveral ? "assay.evaluate_models(frame)" : "assay.evaluate(y_true, y_score)");
      const one = isSeveral ? `${made}[${JSON.stringify(model.name)}]` : made;
      const ev = data.class === undefined ? one : `${one}.against(${JSON.stringify(data.class)})`;
      const share = prevalence === null ? "" : `, prevalence=${prevalence}`;
      const aim = pick ? `"${pick}"${share}` : `costs=assay.Costs(fp=1, fn=${ratio}${share})`;
      const at = isUnset ? "ev" : `ev.at(${threshold === Infinity ? 'float("inf")' : threshold})`;
      return lines("import assay", "", `ev = ${ev}`, `print(${at}.table())`, `print(ev.threshold(${aim}).words())`);
    },
    command: () => {
      const evaluate = data.command ?? "assay evaluate FILE";
      const of = data.class === undefined ? "" : ` --positive ${quoted(data.class)}`;
      const share = prevalence === null ? "" : ` --prevalence ${prevalence}`;
      const aim = pick ? `--maximise ${pick}` : `--cost-fp 1 --cost-fn ${ratio}`;
      const at = isFinite(threshold) ? ` --threshold ${threshold}` : "";
      return lines(`${evaluate}${of}${at}`, `${evaluate.replace("evaluate", "threshold")}${of} ${aim}${share}`);
    },
  };
}

// What LaTeX has a word for.
const LATEX: Record<string, string> = { "\\": "backslash", "~": "asciitilde", "^": "asciicircum", "<": "less", ">": "greater", "|": "bar" };

function escapedLatex(text: string): string {
  return text
    .replace(/[\r\n]/g, " ")
    .replace(/[\\~^<>|{}#$%&_]/g, (sign) => (sign in LATEX ? `\\text${LATEX[sign]}{}` : `\\${sign}`));
}

function entities(text: string, signs: RegExp): string {
  return text.replace(signs, (sign) => `&#${sign.charCodeAt(0)};`);
}

function escapedHtml(text: string): string {
  return entities(text, /[&<>"']/g);
}

function escapedMarkdown(text: string): string {
  const marked = text.replace(/[\r\n]/g, " ").replace(/[\\`*_{}[\]#|~!$]/g, "\\$&");
  // Neither tags nor people nor addresses.
  return entities(marked, /[<>&@]|:(?=\/\/)|(?<=www)\./g);
}

/** A word of the command line, whatever is in it. */
function quoted(word: string): string {
  return /^[\w.][\w.-]*$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
