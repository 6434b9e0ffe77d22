// Figures to take away: as a picture that looks right alone, and the table behind it.

// What the page's style sheet says about marks, and what a picture without one takes each of them to be.
const LOOKS: Record<string, string> = {
  fill: "rgb(0, 0, 0)",
  "fill-opacity": "1",
  stroke: "none",
  "stroke-width": "1px",
  "stroke-opacity": "1",
  "stroke-dasharray": "none",
  "stroke-linejoin": "miter",
  "paint-order": "normal",
  "font-weight": "400",
};
// Spreadsheets take a cell that begins so for a formula, unless it is a number.
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^[-+]?(\d{1,3}(,\d{3})+|\d+)?(\.\d+)?(e[-+]?\d+)?$/i;

/** Buttons beside the heading of every figure that is drawn or has a table. */
export function offerDownloads(page: Document): void {
  for (const figure of page.querySelectorAll("figure")) {
    const svg = figure.querySelector<SVGSVGElement>("svg[data-figure]");
    const table = figure.querySelector<HTMLTableElement>(".data table");
    const name = (svg?.dataset.figure ?? "figure").replace(/[^\w-]+/g, "_");
    const tools = page.createElement("div");
    tools.className = "tools";
    if (svg) tools.append(button("SVG", () => save(`${name}.svg`, "image/svg+xml", pictureOf(svg))));
    if (table) tools.append(button("CSV", () => save(`${name}.csv`, "text/csv", csvOf(table))));
    if (tools.childElementCount) figure.append(tools);
  }
}

function button(words: string, act: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  Object.assign(made, { type: "button", textContent: words, title: `Save as ${words}`, onclick: act });
  return made;
}

/** The figure as it now stands, with the colours it has on the page. */
export function pictureOf(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const marks = [...svg.querySelectorAll("*")];
  [...copy.querySelectorAll("*")].forEach((mark, i) => {
    const look = getComputedStyle(marks[i]!);
    if (look.display === "none" || mark.matches(".readout-mark")) return mark.remove();
    if (!mark.matches("title,desc")) for (const [key, usual] of Object.entries(LOOKS)) inline(mark, key, look, usual);
    strip(mark);
  });
  const { width, height } = svg.viewBox.baseVal;
  const paper = document.createElementNS(svg.namespaceURI!, "rect");
  const ground = getComputedStyle(document.documentElement).getPropertyValue("--paper").trim() || "#ffffff";
  for (const [key, value] of Object.entries({ width, height, fill: ground })) paper.setAttribute(key, String(value));
  copy.prepend(paper);
  strip(copy);
  const own = { xmlns: svg.namespaceURI!, width, height, "font-family": "Helvetica, Arial, sans-serif", "font-size": "12" };
  for (const [key, value] of Object.entries(own)) copy.setAttribute(key, String(value));
  return new XMLSerializer().serializeToString(copy);
}

/** A property that is not what a mark would have anyway, from the mark around it. */
function inline(mark: Element, key: string, look: CSSStyleDeclaration, usual: string): void {
  const around = mark.parentElement?.closest(`[${key}]`)?.getAttribute(key) ?? usual;
  const value = look.getPropertyValue(key);
  if (value !== around) mark.setAttribute(key, value);
}

function strip(mark: Element): void {
  for (const { name } of [...mark.attributes])
    if (/^(data-|class$|style$|tabindex$|display$|vector-effect$)/.test(name)) mark.removeAttribute(name);
}

/** A table as comma-separated text; no cell of it is a formula to a spreadsheet. */
export function csvOf(table: HTMLTableElement): string {
  const cell = (text: string): string => {
    const isNumber = NUMBER.test(text);
    const safe = isNumber ? text.replace(/,/g, "") : FORMULA.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
  };
  return [...table.rows].map((row) => [...row.cells].map((each) => cell(each.textContent ?? "")).join(",") + "\n").join("");
}

function save(name: string, type: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
