// The matrix of many classes: the cell pointed at says in the read-out line what it holds, arrow keys walk.

import { all, attrs, make, on, one } from "./dom";

const STEPS: Record<string, [number, number]> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** Wire every such matrix of the page; what rows stand behind its cells must be wired before. */
export function wireMatrices(): void {
  for (const block of all(".classes")) wire(block);
}

function wire(block: HTMLElement): void {
  const table = one<HTMLTableElement>("table", block)!;
  const line = one(".readout", block)!;
  const lines = (): HTMLTableRowElement[] => [...table.tBodies[0]!.rows];
  const heads = (): HTMLElement[] => all("thead .c", table);
  const cells = (part: ParentNode = table): HTMLElement[] => all("td.c", part);
  const place = (i: number, j: number): HTMLElement | undefined => lines()[i] && cells(lines()[i])[j];
  let kept = one(".chosen", table) ?? place(0, 0)!;

  /** A cell's row and column, and what both are called. */
  function about(cell: HTMLElement) {
    const row = cell.parentElement as HTMLTableRowElement;
    const [i, j] = [lines().indexOf(row), cells(row).indexOf(cell)] as const;
    return { i, j, row, names: [row.cells[0]!, heads()[j]!] };
  }

  const says = (cell: HTMLElement): string => cell.dataset.says ?? about(cell).row.dataset.none!;

  function show(cell: HTMLElement): void {
    for (const each of all(".chosen,.on", table)) each.classList.remove("chosen", "on");
    const { i, j, row, names } = about(cell);
    cell.classList.add("chosen");
    for (const name of names) name.classList.add("on");
    const [truth, called] = names.map((name) => name.textContent!.trim());
    const isRight = cell.matches(".match");
    const end = !cell.dataset.says ? "" : isRight ? table.dataset.found! : row.dataset.of!;
    const mirror = isRight ? undefined : place(j, i);
    const back = mirror && cell.dataset.says ? ` · ${called} as ${truth}: ${says(mirror).split(",")[0]}` : "";
    const rows = one("button", cell) ? " · Enter lists the rows" : "";
    line.replaceChildren(make("b", { textContent: `${truth} as ${called}` }), `: ${says(cell)}${end}${back}${rows}`);
    line.classList.add("on");
  }

  /** One cell at a time can be reached by the tab key, and its button through it. */
  function keep(cell: HTMLElement): void {
    kept.tabIndex = -1;
    kept = cell;
    cell.tabIndex = 0;
    show(cell);
  }

  const at = ({ target }: Event): HTMLElement | null => (target as HTMLElement).closest("td.c");
  attrs(table, { role: "grid" });
  // Every cell can be focused by arrow keys and by hand, so that it can be kept.
  for (const each of all("td.c,td.c button", table)) each.tabIndex = -1;
  on(table, "pointerover", (event) => show(at(event) ?? kept));
  on(table, "pointerleave", () => show(kept));
  on(table, "click focusin", (event) => at(event) && keep(at(event)!));
  on<KeyboardEvent>(table, "keydown", (event) => {
    const cell = at(event);
    const step = STEPS[event.key];
    if (!cell || event.target !== cell) return;
    if (event.key === "Enter") one("button", cell)?.click();
    if (!step) return;
    event.preventDefault();
    const { i, j } = about(cell);
    place(i + step[0], j + step[1])?.focus();
  });

  // As written the worst recall comes first; the places as given stand beside.
  const given = ({ dataset }: HTMLElement): number => Number(dataset.given);
  const written = new Map([...lines(), ...heads()].map((each, k) => [each, k] as const));
  for (const choice of all<HTMLInputElement>("input[name=order]", block)) {
    on(choice, "change", () => {
      const rank = (each: HTMLElement): number => (choice.value === "given" ? given(each) : written.get(each)!);
      const order = heads().map((head, k) => [rank(head), k] as const).sort((a, b) => a[0] - b[0]);
      for (const moved of [heads(), ...lines().map(cells)]) {
        const next = moved.at(-1)!.nextElementSibling;
        for (const [, k] of order) next!.before(moved[k]!);
      }
      table.tBodies[0]!.append(...lines().sort((a, b) => rank(a) - rank(b)));
      show(kept);
    });
  }
  kept.tabIndex = 0;
  show(kept);
  line.classList.remove("on");
}
