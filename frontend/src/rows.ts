// The rows behind a cell of a confusion matrix, where the page holds them: a click opens them.

import type { Rows } from "./data";
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

export class RowTables {
  readonly #rows: (Rows | null)[];
  readonly #boxes: HTMLElement[] = [];
  #open: Cell | null = null;
  // Of each model that can be moved the threshold that decides; nan while what was written does.
  #thresholds: number[] = [];

  constructor(rows: (Rows | null)[]) {
    this.#rows = rows;
    const tables = [...document.querySelectorAll<HTMLTableElement>("#confusion table:is(.matrix,.cells,.confused)")];
    const lists = [...document.querySelectorAll<HTMLTableElement>("#confusion table.grid")];
    rows.forEach((held, of) => {
      const table = tables[of] ?? lists[of];
      if (!held || !table) return;
      const box = make("div", "behind");
      box.setAttribute("aria-live", "polite");
      // Below the whole block, over its full width: what stands beside a matrix stays where it is.
      let above: Element = table.closest(".classes, section.c4") ?? table.parentElement ?? table;
      while (above.matches("section.c4") && above.nextElementSibling?.matches("section.c4")) above = above.nextElementSibling;
      above.after(box);
      this.#boxes[of] = box;
      [...table.tBodies[0]!.rows].forEach((line, i) => this.#wire(line, held, of, i, table === tables[of]));
      if (table !== lists[of] && lists[of])
        [...lists[of].tBodies[0]!.rows].forEach((line, i) => this.#wire(line, held, of, i, false));
    });
  }

  /** A button in every cell of a row of the matrix, or in the count of a pair. */
  #wire(line: HTMLTableRowElement, held: Rows, of: number, i: number, isMatrix: boolean): void {
    // Two classes stand with the positive one first.
    const code = (k: number): number => (held.classes.length === 2 && k < 2 ? 1 - k : k);
    const cells = [...line.querySelectorAll("td")];
    const pair = held.pairs[i];
    if (isMatrix && cells.some((cell) => cell.dataset.i)) {
      // Rows and columns of many classes may stand in any order, so that each cell says which it is.
      for (const cell of cells)
        if (cell.dataset.i)
          this.#button(cell, { of, truth: Number(cell.dataset.i), called: Number(cell.dataset.j), isWhole: false });
    } else if (isMatrix) cells.forEach((cell, j) => this.#button(cell, { of, truth: code(i), called: code(j), isWhole: false }));
    else if (pair && cells[1]) this.#button(cells[1], { of, truth: pair[0], called: pair[1], isWhole: false });
  }

  #button(cell: HTMLElement, wanted: Cell): void {
    const button = make("button", "to-rows") as HTMLButtonElement;
    button.type = "button";
    const count = cell.firstChild;
    if (!count) return;
    count.before(button);
    button.append(count);
    button.title = "Show the rows";
    button.addEventListener("click", () => {
      const { of, truth, called } = wanted;
      const isSame = this.#open?.of === of && this.#open.truth === truth && this.#open.called === called;
      this.#open = isSame ? null : { ...wanted };
      this.#boxes.forEach((box) => box.replaceChildren());
      this.#show();
    });
  }

  #threshold({ of }: Cell): number {
    return this.#thresholds[this.#rows[of]!.model ?? -1] ?? NaN;
  }

  /** Thresholds have moved: rows of two classes may have gone to another cell. */
  follow(thresholds: number[]): void {
    const before = this.#open && this.#threshold(this.#open);
    this.#thresholds = thresholds;
    if (this.#open && !Object.is(before, this.#threshold(this.#open))) this.#show();
  }

  /** The held rows of a cell, the most surely wrong first. */
  #held(cell: Cell): number[] {
    const { truth, called } = cell;
    const { score, ...held } = this.#rows[cell.of]!;
    const threshold = this.#threshold(cell);
    const isCalled = (i: number): number => (isNaN(threshold) ? held.called[i]! : Number(score![i]! >= threshold));
    const found = held.row.map((_, i) => i).filter((i) => held.truth[i] === truth && isCalled(i) === called);
    // Cell by cell they are in order; where a threshold joins two cells they are put in order again.
    if (!isNaN(threshold)) found.sort((a, b) => (truth ? 1 : -1) * (score![a]! - score![b]!));
    return found;
  }

  #show(): void {
    const open = this.#open;
    if (!open) return;
    const held = this.#rows[open.of]!;
    const found = this.#held(open);
    const shown = open.isWhole ? found : found.slice(0, MOST);
    const [truth, called] = [held.classes[open.truth]!, held.decisions[open.called]!];
    const threshold = this.#threshold(open);
    const order = !held.score ? "as they came" : open.truth === open.called ? "the least sure first" : "the surest first";
    const caption = make("p", "sentence");
    const at = isNaN(threshold) ? "" : ` from ${thresholdWords(threshold)} on`;
    caption.textContent =
      `${truth}, called ${called}${at}: ${count(shown.length)} of the ${count(found.length)} rows this page holds ` +
      `of that cell, ${order}. It holds ${count(held.row.length)} of ${count(held.n)} rows.`;
    const box = this.#boxes[open.of]!;
    box.replaceChildren(caption, this.#table(held, shown, truth, called));
    if (shown.length === found.length) return;
    const more = make("button", "more") as HTMLButtonElement;
    more.type = "button";
    more.textContent = `Show all ${count(found.length)}`;
    more.addEventListener("click", () => {
      open.isWhole = true;
      this.#show();
    });
    box.append(more);
  }

  #table(held: Rows, shown: number[], truth: string, called: string): HTMLElement {
    const scores: [string, number[] | undefined][] = held.own
      ? [
          ["Score of the label", held.score],
          ["Score of the true class", held.own],
        ]
      : [["Score", held.score]];
    const columns = scores.filter(([, values]) => values) as [string, number[]][];
    const table = make("table", "");
    const head = table.appendChild(make("thead", "")).appendChild(make("tr", ""));
    for (const title of [...(held.id ? ["Id"] : []), "Row", "True class", "Called", ...columns.map(([name]) => name)]) {
      const cell = head.appendChild(make("th", ""));
      cell.setAttribute("scope", "col");
      cell.textContent = title;
    }
    const body = table.appendChild(make("tbody", ""));
    for (const i of shown) {
      const line = body.appendChild(make("tr", ""));
      const numbers = columns.map(([, values]) => number(values[i]!));
      for (const words of [...(held.id ? [held.id[i]!] : []), count(held.row[i]!), truth, called, ...numbers])
        line.appendChild(make("td", "")).textContent = words;
    }
    const scroll = make("div", "scroll");
    Object.assign(scroll, { tabIndex: 0, role: "group", ariaLabel: "Rows" });
    scroll.append(table);
    return scroll;
  }
}

function make(tag: string, name: string): HTMLElement {
  const found = document.createElement(tag);
  if (name) found.className = name;
  return found;
}
