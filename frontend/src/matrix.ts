// The matrix of many classes: the cell pointed at says in the read-out line what it holds, arrow keys walk.

const STEPS: Record<string, [number, number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/** Wire every such matrix of the page; what rows stand behind its cells must be wired before. */
export function wireMatrices(): void {
  document.querySelectorAll<HTMLElement>(".classes").forEach(wire);
}

function wire(block: HTMLElement): void {
  const table = block.querySelector("table")!;
  const line = block.querySelector<HTMLElement>(".readout")!;
  const lines = (): HTMLTableRowElement[] => [...table.tBodies[0]!.rows];
  const heads = (): HTMLElement[] => [...table.querySelectorAll<HTMLElement>("thead .c")];
  const inLine = (row: HTMLTableRowElement): HTMLElement[] => [...row.querySelectorAll<HTMLElement>("td.c")];
  let kept = table.querySelector<HTMLElement>(".chosen") ?? inLine(lines()[0]!)[0]!;

  /** A cell's row and column, and what both are called. */
  const about = (cell: HTMLElement): { i: number; j: number; row: HTMLTableRowElement; names: [HTMLElement, HTMLElement] } => {
    const row = cell.parentElement as HTMLTableRowElement;
    const j = inLine(row).indexOf(cell);
    return { i: lines().indexOf(row), j, row, names: [row.cells[0]!, heads()[j]!] };
  };

  const says = (cell: HTMLElement): string => cell.dataset.says ?? about(cell).row.dataset.none!;

  function show(cell: HTMLElement): void {
    table.querySelectorAll(".chosen,.on").forEach((each) => each.classList.remove("chosen", "on"));
    const { i, j, row, names } = about(cell);
    cell.classList.add("chosen");
    names.forEach((name) => name.classList.add("on"));
    const [truth, called] = names.map((name) => name.textContent!.trim());
    const bold = document.createElement("b");
    bold.textContent = `${truth} called ${called}`;
    const isRight = cell.classList.contains("match");
    const end = !cell.dataset.says ? "" : isRight ? table.dataset.found! : row.dataset.of!;
    const mirror = isRight ? undefined : lines()[j] && inLine(lines()[j]!)[i];
    const back = mirror && cell.dataset.says ? ` · ${called} called ${truth}: ${says(mirror).split(",")[0]}` : "";
    const rows = cell.querySelector("button") ? " · Enter lists the rows" : "";
    line.replaceChildren(bold, `: ${says(cell)}${end}${back}${rows}`);
    line.classList.add("on");
  }

  /** One cell at a time can be reached by the tab key, and its button through it. */
  function keep(cell: HTMLElement): void {
    kept.tabIndex = -1;
    kept = cell;
    cell.tabIndex = 0;
    show(cell);
  }

  const at = (event: Event): HTMLElement | null => (event.target as HTMLElement).closest<HTMLElement>("td.c");
  table.setAttribute("role", "grid");
  table.querySelectorAll<HTMLElement>("td.c button").forEach((button) => (button.tabIndex = -1));
  table.addEventListener("pointerover", (event) => show(at(event) ?? kept));
  table.addEventListener("pointerleave", () => show(kept));
  table.addEventListener("click", (event) => at(event) && keep(at(event)!));
  table.addEventListener("focusin", (event) => at(event) && keep(at(event)!));
  table.addEventListener("keydown", (event) => {
    const cell = at(event);
    const step = STEPS[event.key];
    if (!cell || event.target !== cell) return;
    if (event.key === "Enter") cell.querySelector("button")?.click();
    if (!step) return;
    event.preventDefault();
    const { i, j } = about(cell);
    const row = lines()[i + step[0]];
    (row && inLine(row)[j + step[1]])?.focus();
  });
  // Every cell can be focused by arrow keys and by hand, so that it can be kept.
  table.querySelectorAll<HTMLElement>("td.c").forEach((cell) => (cell.tabIndex = -1));

  // As written the worst recall comes first; the places as given stand beside.
  const before = new Map(lines().map((row, place) => [row, place] as const));
  const across = heads().map((head) => Number(head.dataset.given));
  const written = new Map(across.map((given, place) => [given, place]));
  block.querySelectorAll<HTMLInputElement>("input[name=order]").forEach((choice) =>
    choice.addEventListener("change", () => {
      const place = (given: number): number => (choice.value === "given" ? given : written.get(given)!);
      const now = heads().map((head) => Number(head.dataset.given));
      const order = now.map((given, k) => [place(given), k] as const).sort((a, b) => a[0] - b[0]);
      const moved = (cells: HTMLElement[]): void => {
        const next = cells.at(-1)!.nextElementSibling;
        order.forEach(([, k]) => next!.before(cells[k]!));
      };
      moved(heads());
      lines().forEach((row) => moved(inLine(row)));
      const sort = (row: HTMLTableRowElement): number =>
        choice.value === "given" ? Number(row.dataset.given) : before.get(row)!;
      table.tBodies[0]!.append(...lines().sort((a, b) => sort(a) - sort(b)));
      show(kept);
    }),
  );
  kept.tabIndex = 0;
  show(kept);
  line.classList.remove("on");
}
