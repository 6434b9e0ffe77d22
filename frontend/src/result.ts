// The result: the report stands in a frame of its own and keeps its script. Here is what the workbench adds: the studio,
// which brings the report to the threshold it found; the rows behind a cell; and an address that reopens the view.

import { all, attrs, make, on, one, put, whenRead } from "./dom";
import { copied, offer } from "./told";

interface Model {
  name: string;
  movable: number | null;
  matrix: number | null;
  classes: string[];
  rows: boolean;
}

interface Behind {
  truth: string;
  called: string;
  total: number;
  start: number;
  page: number;
  order: string;
  columns: string[];
  rows: string[][];
  note: string;
  error?: string;
}

interface Found {
  threshold: number | null;
  words: string[];
  cautions: string[];
  ratio: number | null;
  python: string;
  command: string;
  error?: string;
}

/** The cell whose rows are shown. */
interface Cell {
  model: Model;
  truth: number;
  called: number;
  start: number;
}

const AFTER = 300;

whenRead(() => {
  const frame = one<HTMLIFrameElement>("iframe[data-page]");
  const island = one("#workbench-data");
  if (!frame || !island) return;
  const { id, models } = JSON.parse(island.textContent!) as { id: string; models: Model[] };
  let thresholds: number[] = [];
  let open: Cell | null = null;
  let asked = 0;
  let timer = 0;

  frame.src = frame.dataset.page! + location.hash;
  on(frame, "load", () => {
    const page = frame.contentDocument;
    if (!page) return;
    on<CustomEvent<number[]>>(page, "thresholds", ({ detail }) => follow(detail));
    on(page, "input change click keyup", remember);
    offerRows(page);
    // It has told its thresholds before anybody here listened: once more.
    frame.contentWindow!.dispatchEvent(new Event("hashchange"));
  });
  on(window, "hashchange", () => goTo(location.hash.slice(1)));

  /** Bring the report to a state that an address names. */
  function goTo(hash: string): void {
    const there = frame!.contentWindow;
    if (there && there.location.hash.slice(1) !== hash) there.location.hash = hash;
  }

  function follow(detail: number[]): void {
    const before = open && at(open);
    thresholds = detail;
    remember();
    if (open && !Object.is(before, at(open))) later(() => void show());
  }

  function later(act: () => void): void {
    clearTimeout(timer);
    timer = setTimeout(act, AFTER);
  }

  function remember(): void {
    setTimeout(() => {
      const hash = frame!.contentWindow?.location.hash ?? "";
      if (hash !== location.hash) history.replaceState(null, "", hash || location.pathname);
    }, AFTER);
  }

  /** The threshold that decides about a cell's model; nan while what was written does. */
  function at({ model }: Cell): number {
    return thresholds[model.movable ?? -1] ?? NaN;
  }

  /** A button in every cell of every matrix. */
  function offerRows(page: Document): void {
    const tables = all<HTMLTableElement>("#confusion table:is(.matrix,.cells,.confused)", page);
    for (const model of models) {
      const table = model.matrix === null || !model.rows ? null : tables[model.matrix];
      if (!table) continue;
      const code = (k: number): number => (model.classes.length === 2 && k < 2 ? 1 - k : k);
      [...(table.tBodies[0]?.rows ?? [])].forEach((line, i) => {
        const cells = all("td", line);
        // Rows and columns of many classes may stand in any order, so that each cell says which it is; others are none.
        const areNamed = cells.some((cell) => cell.dataset.i);
        cells.forEach((cell, j) => {
          if (areNamed && !cell.dataset.i) return;
          const [truth, called] = areNamed ? [Number(cell.dataset.i), Number(cell.dataset.j)] : [code(i), code(j)];
          const count = cell.firstChild;
          if (!count || !model.classes[truth]) return;
          const button = Object.assign(page.createElement("button"), { className: "to-rows", type: "button", title: "Show the rows" });
          count.before(button);
          button.append(count);
          on(button, "click", () => {
            open = { model, truth, called, start: 0 };
            void show(true);
          });
        });
      });
    }
  }

  async function show(isChosen = false): Promise<void> {
    const cell = open;
    const box = one("[data-behind]")!;
    box.hidden = !cell;
    if (!cell) return;
    const number = ++asked;
    const query = new URLSearchParams({ model: cell.model.name, truth: String(cell.truth), called: String(cell.called), start: String(cell.start) });
    if (!isNaN(at(cell))) query.set("threshold", String(at(cell)));
    const answer = await fetch(`/api/result/${id}/rows?${query}`);
    const found = (await answer.json()) as Behind;
    // Only what was asked for last is shown: answers may overtake one another.
    if (number !== asked) return;
    if (found.error) {
      if (cell.start > 0) {
        cell.start = 0;
        return show();
      }
      put(one("#behind-title")!, found.error);
      return;
    }
    write(found);
    if (isChosen) one("#behind-title")!.focus();
  }

  function write(found: Behind): void {
    const last = found.start + found.rows.length;
    const of = found.total ? `rows ${(found.start + 1).toLocaleString("en")} to ${last.toLocaleString("en")} of ${found.total.toLocaleString("en")}, ${found.order}` : "no rows";
    const whose = models.length > 1 ? `${open!.model.name}: ` : "";
    put(one("#behind-title")!, `${whose}${found.truth} predicted as ${found.called}: ${of}`);
    put(one("[data-note]")!, found.note);
    one(".rws thead tr")!.replaceChildren(...found.columns.map((textContent) => make("th", { scope: "col", textContent })));
    one(".rws tbody")!.replaceChildren(
      ...found.rows.map((row) => {
        const line = make("tr");
        line.append(...row.map((textContent) => make("td", { textContent, title: textContent })));
        return line;
      }),
    );
    for (const turn of all<HTMLButtonElement>("[data-turn]")) turn.disabled = turn.dataset.turn === "-1" ? found.start === 0 : last >= found.total;
    for (const turn of all<HTMLButtonElement>("[data-turn]"))
      turn.onclick = () => {
        open!.start = Math.max(0, found.start + Number(turn.dataset.turn) * found.page);
        void show();
      };
  }

  on(one("[data-close]"), "click", () => {
    open = null;
    void show();
  });
  on(one("[data-link]"), "click", () => void copied(location.href, one("[data-link]")!));
  const studio = one("[data-studio]");
  on(one("[data-opens]"), "click", () => {
    const isOpen = studio!.classList.toggle("open");
    attrs(one("[data-opens]")!, { "aria-expanded": String(isOpen) });
  });
  const form = one<HTMLFormElement>("[data-threshold]");
  on(form, "submit", (event) => {
    event.preventDefault();
    void find(form!);
  });

  async function find(form: HTMLFormElement): Promise<void> {
    const told = one("[data-told]", form)!;
    put(told, "Looking…");
    const answer = await fetch(form.action, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(asking(form)) });
    const found = (await answer.json()) as Found;
    if (found.error) {
      told.replaceChildren(make("p", { className: "failed", textContent: found.error }));
      return;
    }
    const lines = found.words.map((textContent, k) => make("p", { textContent, className: k ? "" : "lead" }));
    told.replaceChildren(...lines, ...found.cautions.map((textContent) => make("p", { textContent, className: "caution" })));
    offer(found.python, found.command);
    told.scrollIntoView({ block: "nearest" });
    move(form, found);
  }

  /** What was typed, with percentages as shares; what is empty is not said. */
  function asking(form: HTMLFormElement): Record<string, unknown> {
    const fields = new FormData(form);
    const text = (name: string): string => String(fields.get(name) ?? "").trim();
    const number = (name: string, by = 1): unknown => {
      const typed = text(name);
      return typed === "" ? null : isNaN(Number(typed)) ? typed : Number(typed) / by;
    };
    const said: Record<string, unknown> = { maximise: text("maximise"), prevalence: number("prevalence", 100), confidence: number("confidence", 100) };
    for (const name of ["cost_fp", "cost_fn", "cost_tp", "cost_tn", "at_most_flagged", "per"]) said[name] = number(name);
    if (fields.has("model")) said.model = fields.get("model");
    if (text("bound")) said.at_least = [`${text("bound_of")}=${text("bound")}`];
    return said;
  }

  /** Bring the report to what was found: its threshold, the costs and the prevalence it was found for. */
  function move(form: HTMLFormElement, found: Found): void {
    if (found.threshold === null) return;
    const name = String(new FormData(form).get("model") ?? models[0]!.name);
    const place = models.find((model) => model.name === name)?.movable ?? 0;
    const state = new URLSearchParams(frame!.contentWindow?.location.hash.slice(1) ?? "");
    const all = (state.get("t") ?? "").split("_");
    const moving = models.filter((model) => model.movable !== null);
    const places = moving.map((_, k) => (k === place ? String(found.threshold) : (all[k] ?? "")));
    state.set("t", places.join("_"));
    state.delete("pick");
    if (place) state.set("model", String(place));
    else state.delete("model");
    if (found.ratio) state.set("ratio", String(found.ratio));
    const share = Number(new FormData(form).get("prevalence") || NaN) / 100;
    if (isNaN(share)) state.delete("prevalence");
    else state.set("prevalence", String(share));
    goTo(String(state));
  }
});
