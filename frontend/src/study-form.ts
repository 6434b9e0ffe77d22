// The form of a new study: what is filled in becomes the text of a study file, which may be edited and is what is kept.

import { asked, trying } from "./asking";
import { all, attrs, make, on, one, put } from "./dom";

type Value = string | number | boolean | null;
type Plans = Record<string, { title: string; options: Record<string, Value> }>;
type Offered = { presets: Record<string, Record<string, string>>; plans: Plans; within: Plans };
type Column = { name: string; values: string[] };
type Judged = { problem: string; python: string; command: string; text?: string };
type Saved = { id: string; address: string };

const PAUSE = 250; // milliseconds after the last key before the server is asked
let byHand = false;
let waiting = 0;
let latest = 0;

export function studyForm(form: HTMLFormElement): void {
  const offered = JSON.parse(one("#offered")!.textContent!) as Offered;
  on(form, "submit", (event) => event.preventDefault());
  planFields(one("#plan")!, offered.plans);
  planFields(one("#inner")!, offered.within);
  for (const row of all("[data-table]")) on(one("[data-path]", row), "change", () => void trying(one("#study-problem"), () => tableFields(row)));
  on(one("#add-preset"), "click", () => addLearner("preset", one<HTMLSelectElement>("#preset")!.value, offered));
  on(one("#add-path"), "click", () => void addPath(offered));
  on(one("#learner-path"), "keydown", (event: KeyboardEvent) => {
    if (event.key === "Enter") void addPath(offered);
  });
  on(form, "input change", rewrite);
  textFields();
  for (const [id, runs] of [["#save-run", true], ["#save", false]] as const) on(one(id), "click", () => void trying(one("#study-problem"), () => save(runs)));
  rewrite();
}

/** The text itself, which once it was edited is nobody's but the user's. */
function textFields(): void {
  const text = one<HTMLTextAreaElement>("#study-text")!;
  on(text, "input", () => {
    byHand = true;
    one("#by-hand")!.hidden = false;
    rewrite();
  });
  on(one("#study-name"), "input", rewrite);
  on(one("#from-form"), "click", () => {
    byHand = false;
    one("#by-hand")!.hidden = true;
    rewrite();
    text.focus();
  });
}

async function addPath(offered: Offered): Promise<void> {
  const field = one<HTMLInputElement>("#learner-path")!;
  await trying(one("#learner-problem"), async () => {
    const { settings } = await asked<{ settings: Record<string, string> }>("/api/study/settings", { path: field.value.trim() });
    offered.presets[field.value.trim()] = settings;
    addLearner("path", field.value.trim(), offered);
    field.value = "";
  });
}

/** A learner with its settings, each empty until somebody says otherwise. */
function addLearner(kind: "preset" | "path", which: string, offered: Offered): void {
  const row = make("li");
  attrs(row, { "data-learner": kind, "data-which": which });
  const head = make("div", { className: "head" });
  const remove = make("button", { type: "button", className: "lk", textContent: "Remove" });
  attrs(remove, { "aria-label": `Remove ${which}` });
  on(remove, "click", () => {
    row.remove();
    one("#preset")!.focus();
    rewrite();
  });
  const called = make("label");
  called.append("called ", input("name", which.split(".").pop()!));
  head.append(make("b", { textContent: which }), called, remove);
  const fold = make("details");
  const inside = make("div", { className: "entries" });
  for (const [name, value] of Object.entries(offered.presets[which] ?? {})) inside.append(field(name, input("setting", value, name)));
  const several = choice("several", [["grid", "a learner for each"], ["tune", "tuned within each training part"]], "grid");
  inside.append(field("Several values", several), field("Folds for tuning", input("folds", "3")));
  fold.append(make("summary", { textContent: "Settings" }), inside);
  row.append(head, fold);
  one("#learners")!.append(row);
  rewrite();
}

/** The columns of a table that was ticked, and which of them is what. */
async function tableFields(row: HTMLElement): Promise<void> {
  const place = one(".of-table", row)!;
  const ticked = one<HTMLInputElement>("[data-path]", row)!;
  place.hidden = !ticked.checked;
  if (!ticked.checked || place.childElementCount) return;
  const told = await asked<{ target: string; rows: string; columns: Column[] }>("/api/study/columns", { path: row.dataset.table });
  if (place.childElementCount) return;
  const names = told.columns.map((column): [string, string] => [column.name, column.name]);
  const fields = make("div", { className: "entries" });
  const target = choice("target", [["", "select"], ...names], told.target);
  const positive = choice("positive", [["", "automatic"]], "");
  const checks = make("div", { className: "checks" });
  const classes = (): void => {
    for (const box of all<HTMLInputElement>("input", checks)) box.disabled = box.value === target.value;
    const column = told.columns.find((each) => each.name === target.value);
    positive.replaceChildren(...[["", "automatic"], ...(column?.values.length === 2 ? column.values.map((each) => [each, each]) : [])].map(option));
  };
  on(target, "change", classes);
  const none: [string, string] = ["", "none"];
  const others = all("[data-table]").map((each) => each.dataset.table!).filter((name) => name !== row.dataset.table);
  const files = others.map((name): [string, string] => [name, name]);
  fields.append(field("Column of class labels", target), field("Positive class", positive));
  fields.append(field("Group column", choice("group", [none, ...names], "")));
  fields.append(field("Column of predefined folds", choice("split", [none, ...names], "")));
  fields.append(field("Test file", choice("test", [none, ...files], "")), field("Validation file", choice("validation", [none, ...files], "")));
  const unused = make("fieldset");
  unused.append(make("legend", { className: "lab", textContent: "Columns excluded from the features" }));
  for (const column of told.columns) {
    const label = make("label");
    const box = make("input", { type: "checkbox", value: column.name });
    attrs(box, { "data-ignore": "" });
    label.append(box, ` ${column.name}`);
    checks.append(label);
  }
  unused.append(checks);
  classes();
  place.append(make("p", { className: "note g", textContent: `${told.rows}, ${told.columns.length} columns` }), fields, unused);
  rewrite();
}

/** The options of the plan that is chosen. */
function planFields(place: HTMLElement, plans: Plans): void {
  const kind = one<HTMLSelectElement>("[data-plan-kind]", place)!;
  const show = (): void => {
    const plan = plans[kind.value];
    const fields = Object.entries(plan?.options ?? {}).map(([name, value]) => {
      if (typeof value !== "boolean") return field(name, input("option", value === null ? "" : String(value), name));
      const box = make("input", { type: "checkbox", checked: value, defaultChecked: value });
      attrs(box, { "data-field": "option", "data-name": name });
      const label = make("label");
      label.append(box, ` ${name}`);
      const checks = make("div", { className: "checks" });
      checks.append(label);
      return checks;
    });
    one("[data-plan-options]", place)!.replaceChildren(...fields);
    put(one("[data-plan-title]", place)!, plan?.title ?? "");
  };
  on(kind, "change", show);
  show();
}

function planSaid(place: HTMLElement): Record<string, Value> | null {
  const kind = one<HTMLSelectElement>("[data-plan-kind]", place)!.value;
  if (!kind) return null;
  const said: Record<string, Value> = { kind };
  for (const each of all<HTMLInputElement>('[data-field="option"]', place)) {
    // A default that is ticked or left empty needs no saying.
    if (each.type !== "checkbox") said[each.dataset.name!] = each.value;
    else if (each.checked !== each.defaultChecked) said[each.dataset.name!] = each.checked;
  }
  return said;
}

/** Everything that was filled in, as the server reads it. */
function formSaid(): unknown {
  const datasets: unknown[] = all<HTMLInputElement>("[data-bundled]").filter((box) => box.checked).map((box) => ({ name: box.dataset.bundled }));
  for (const row of all("[data-table]")) {
    if (!one<HTMLInputElement>("[data-path]", row)!.checked) continue;
    const ignore = all<HTMLInputElement>("[data-ignore]", row).filter((box) => box.checked && !box.disabled).map((box) => box.value);
    datasets.push({ path: row.dataset.table, ...said(row), ignore });
  }
  const learners = all("[data-learner]").map((row) => {
    const settings = Object.fromEntries(all<HTMLInputElement>('[data-field="setting"]', row).map((each) => [each.dataset.name!, each.value]));
    return { [row.dataset.learner!]: row.dataset.which, ...said(row), settings };
  });
  const how = Object.fromEntries(all<HTMLInputElement>("[data-form]").map((each) => [each.dataset.form!, each.type === "checkbox" ? each.checked : each.value]));
  return { datasets, learners, plan: planSaid(one("#plan")!), inner: planSaid(one("#inner")!), ...how };
}

function said(row: HTMLElement): Record<string, string> {
  const own = all<HTMLInputElement>("[data-field]", row).filter((each) => each.dataset.field !== "setting");
  return Object.fromEntries(own.map((each) => [each.dataset.field!, each.value]));
}

/** Ask for the file that the form makes, or whether the text that was edited is one; a little after the last change. */
function rewrite(): void {
  window.clearTimeout(waiting);
  waiting = window.setTimeout(() => void trying(one("#study-problem"), ask), PAUSE);
}

async function ask(): Promise<void> {
  const mine = ++latest;
  const name = one<HTMLInputElement>("#study-name")!.value;
  const text = one<HTMLTextAreaElement>("#study-text")!;
  const told = byHand ? asked<Judged>("/api/study/judged", { text: text.value, name }) : asked<Judged>("/api/study/written", { form: formSaid(), name });
  const answer = await told;
  if (mine !== latest) return;
  if (!byHand && answer.text !== undefined) text.value = answer.text;
  put(one("#study-problem")!, answer.problem);
  for (const kind of ["python", "command"] as const) {
    const code = one(`pre[data-of=${kind}]`);
    if (code) put(code, answer[kind] || "# shown when the form is complete\n");
  }
}

async function save(runs: boolean): Promise<void> {
  window.clearTimeout(waiting);
  if (!byHand) await ask();
  const text = one<HTMLTextAreaElement>("#study-text")!.value;
  const measure = one<HTMLSelectElement>("#study-measure")!.value;
  const saved = await asked<Saved>("/api/study/save", { name: one<HTMLInputElement>("#study-name")!.value, text, was: "", measure });
  if (runs) await asked(`/api/study/${saved.id}/run`, {});
  window.location.assign(saved.address);
}

function field(words: string, control: HTMLElement): HTMLLabelElement {
  const label = make("label", { className: "entry" });
  label.append(make("span", { textContent: words }), control);
  return label;
}

function input(kind: string, placeholder: string, name = ""): HTMLInputElement {
  const made = make("input", { placeholder, spellcheck: false });
  attrs(made, { "data-field": kind, "data-name": name || null });
  return made;
}

function choice(kind: string, options: [string, string][], chosen: string): HTMLSelectElement {
  const made = make("select");
  attrs(made, { "data-field": kind });
  made.append(...options.map(option));
  made.value = chosen;
  return made;
}

function option([value, words]: string[]): HTMLOptionElement {
  return make("option", { value: value!, textContent: words! });
}
