// The rows behind a cell of a confusion matrix: a click opens them. A script of its own, for pages that hold rows.

import type { Rows } from "./data";
import { all, attrs, make, on, one, whenRead } from "./dom";
import { count, number, thresholdWords } from "./words";

// So many are shown while the threshold may move; a button shows the others.
const MOST = 200;

/** The cell that is open: whose, the true class and the label. */
interface Cell {
  of: number;
  truth: number;
  called: number;
  isWhole: boolean;
}

whenRead(() => {
  try {
    wireRows(JSON.parse(one("#assay-data")!.textContent!).rows ?? []);
  } catch {
    // Data that nobody can read has no rows.
  }
});

function wireRows(rows: (Rows | null)[]): void {
  const boxes: HTMLElement[] = [];
  let open: Cell | null = null;
  // Of each model that can be moved the threshold that decides; nan while what was written does.
  let thresholds: number[] = [];
  const tables = all<HTMLTableElement>("#confusion table:is(.matrix,.cells,.confused)");
  const lists = all<HTMLTableElement>("#confusion table.grid");
  rows.forEach((held, of) => {
    const table = tables[of] ?? lists[of];
    if (!held || !table) return;
    const box = (boxes[of] = make("div", { className: "behind", ariaLive: "polite" }));
    // Below the whole block, over its full width: what stands beside a matrix stays where it is.
    let above: Element = table.closest(".classes, section.c4") ?? table.parentElement ?? table;
    while (above.matches("section.c4") && above.nextElementSibling?.matches("section.c4")) above = above.nextElementSibling;
    above.after(box);
    [...table.tBodies[0]!.rows].forEach((line, i) => wire(line, held, of, i, table === tables[of]));
    if (table !== lists[of] && lists[of]) [...lists[of].tBodies[0]!.rows].forEach((line, i) => wire(line, held, of, i, false));
  });
  on<CustomEvent<number[]>>(document, "thresholds", ({ detail }) => {
    // Thresholds have moved: rows of two classes may have gone to another cell.
    const before = open && deciding(open);
    thresholds = detail;
    if (open && !Object.is(before, deciding(open))) show();
  });

  /** A button in every cell of a row of the matrix, or in the count of a pair. */
  function wire(line: HTMLTableRowElement, held: Rows, of: number, i: number, isMatrix: boolean): void {
    const cells = all("td", line);
    const offer = (cell: HTMLElement, truth: number, called: number): void => button(cell, { of, truth, called, isWhole: false });
    // Two classes stand with the positive one first.
    const code = (k: number): number => (held.classes.length === 2 && k < 2 ? 1 - k : k);
    const pair = held.pairs[i];
    if (isMatrix && cells.some((cell) => cell.dataset.i)) {
      // Rows and columns of many classes may stand in any order, so that each cell says which it is.
      for (const cell of cells) if (cell.dataset.i) offer(cell, Number(cell.dataset.i), Number(cell.dataset.j));
    } else if (isMatrix) cells.forEach((cell, j) => offer(cell, code(i), code(j)));
    else if (pair && cells[1]) offer(cells[1], pair[0], pair[1]);
  }

  function button(cell: HTMLElement, wanted: Cell): void {
    const count = cell.firstChild;
    if (!count) return;
    const made = make("button", { className: "to-rows", type: "button", title: "Show the rows" });
    count.before(made);
    made.append(count);
    on(made, "click", () => {
      const isSame = open?.of === wanted.of && open.truth === wanted.truth && open.called === wanted.called;
      open = isSame ? null : { ...wanted };
      boxes.forEach((box) => box.replaceChildren());
      show();
    });
  }

  function deciding({ of }: Cell): number {
    return thresholds[rows[of]!.model ?? -1] ?? NaN;
  }

  /** The held rows of a cell, the most surely wrong first. */
  function behind(cell: Cell): number[] {
    const { truth, called } = cell;
    const { score, ...held } = rows[cell.of]!;
    const threshold = deciding(cell);
    const isCalled = (i: number): number => (isNaN(threshold) ? held.called[i]! : Number(score![i]! >= threshold));
    const found = held.row.map((_, i) => i).filter((i) => held.truth[i] === truth && isCalled(i) === called);
    // Cell by cell they are in order; where a threshold joins two cells they are put in order again.
    if (!isNaN(threshold)) found.sort((a, b) => (truth ? 1 : -1) * (score![a]! - score![b]!));
    return found;
  }

  function show(): void {
    const cell = open;
    if (!cell) return;
    const held = rows[cell.of]!;
    const found = behind(cell);
    const shown = cell.isWhole ? found : found.slice(0, MOST);
    const [truth, called] = [held.classes[cell.truth]!, held.decisions[cell.called]!];
    const threshold = deciding(cell);
    const order = !held.score ? "in the order of the file" : cell.truth === cell.called ? "lowest confidence first" : "highest confidence first";
    const at = isNaN(threshold) ? "" : ` at threshold ${thresholdWords(threshold)}`;
    const textContent =
      `${truth} predicted as ${called}${at}: ${count(shown.length)} of the ${count(found.length)} rows of this entry ` +
      `in the page, ${order}. The page contains ${count(held.row.length)} of ${count(held.n)} rows.`;
    const box = boxes[cell.of]!;
    box.replaceChildren(make("p", { className: "sentence", textContent }), tableOf(held, shown, truth, called));
    if (shown.length === found.length) return;
    const more = make("button", { className: "more", type: "button", textContent: `Show all ${count(found.length)}` });
    on(more, "click", () => {
      cell.isWhole = true;
      show();
    });
    box.append(more);
  }
}

function tableOf(held: Rows, shown: number[], truth: string, called: string): HTMLElement {
  const scores: [string, number[] | undefined][] = [
    [held.own ? "Score of the predicted class" : "Score", held.score],
    ["Score of the true class", held.own],
  ];
  const columns = scores.filter(([, values]) => values) as [string, number[]][];
  const table = make("table");
  const head = table.createTHead().insertRow();
  for (const textContent of [...(held.id ? ["Id"] : []), "Row", "True label", "Predicted", ...columns.map(([name]) => name)])
    head.append(make("th", { scope: "col", textContent }));
  const body = table.createTBody();
  for (const i of shown) {
    const line = body.insertRow();
    const numbers = columns.map(([, values]) => number(values[i]!));
    for (const words of [...(held.id ? [held.id[i]!] : []), count(held.row[i]!), truth, called, ...numbers])
      line.insertCell().textContent = words;
  }
  const scroll = make("div", { className: "scroll", tabIndex: 0 });
  attrs(scroll, { role: "group", "aria-label": "Rows" });
  scroll.append(table);
  return scroll;
}
