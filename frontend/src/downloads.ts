// Figures to take away: as a picture that looks right alone, and the table behind it.

import { all, attrs, make, one } from "./dom";

// What the page's style sheet says about marks, and what a picture without one takes each of them to be.
const LOOKS = {
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
// A number that thousands may be parted in.
const NUMBER = /^[-+]?(\d{1,3}(,\d{3})+|\d+)?(\.\d+)?(e[-+]?\d+)?$/i;

/** Buttons beside the heading of every figure that is drawn or has a table. */
export function offerDownloads(): void {
  for (const figure of all("figure")) {
    const svg = one<SVGSVGElement>("svg[data-figure]", figure);
    const table = one<HTMLTableElement>(".data table", figure);
    const name = (svg?.dataset.figure ?? "figure").replace(/[^\w-]+/g, "_");
    const tools = make("div", { className: "tools" });
    const offer = (words: string, type: string, text: () => string): void => {
      const onclick = (): void => save(`${name}.${words.toLowerCase()}`, type, text());
      tools.append(make("button", { type: "button", textContent: words, title: `Save as ${words}`, onclick }));
    };
    if (svg) offer("SVG", "image/svg+xml", () => pictureOf(svg));
    if (table) offer("CSV", "text/csv", () => csvOf(table));
    if (tools.firstChild) figure.append(tools);
  }
}

/** The figure as it now stands, with the colours it has on the page. */
function pictureOf(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const marks = all("*", svg);
  all("*", copy).forEach((mark, i) => {
    const look = getComputedStyle(marks[i]!);
    if (look.display === "none" || mark.matches(".readout-mark")) return mark.remove();
    for (const [key, usual] of Object.entries(LOOKS)) {
      // A property that is not what a mark would have anyway, from the mark around it.
      const around = mark.parentElement?.closest(`[${key}]`)?.getAttribute(key) ?? usual;
      const value = look.getPropertyValue(key);
      if (value !== around && !mark.matches("title,desc")) attrs(mark, { [key]: value });
    }
    strip(mark);
  });
  const { width, height } = svg.viewBox.baseVal;
  const xmlns = svg.namespaceURI!;
  const paper = document.createElementNS(xmlns, "rect");
  const fill = getComputedStyle(document.documentElement).getPropertyValue("--paper").trim() || "#ffffff";
  attrs(paper, { width, height, fill });
  copy.prepend(paper);
  // Away from the page the description also holds what stands below the figure.
  const [description, caption] = [one("desc", copy), one("figcaption", svg.closest("figure")!)?.textContent];
  if (description && caption) description.textContent += ` ${caption}`;
  strip(copy);
  attrs(copy, { xmlns, width, height, "font-family": "Helvetica, Arial, sans-serif", "font-size": 12 });
  return new XMLSerializer().serializeToString(copy);
}

function strip(mark: Element): void {
  for (const name of mark.getAttributeNames())
    if (/^(data-|class$|style$|tabindex$|display$|vector-effect$)/.test(name)) mark.removeAttribute(name);
}

/** A table as comma-separated text; its numbers lose the commas between thousands. */
function csvOf(table: HTMLTableElement): string {
  // Numbers of other settings than the page now shows carry theirs with them.
  const note = one(".computed-at:not([hidden])", table.closest("details")!)?.textContent;
  const cell = ({ textContent: text }: Element): string => (NUMBER.test(text!) ? text!.replace(/,/g, "") : text!);
  const extra = (i: number): string[] => (note ? [i ? note.replace(/^Computed at |\.$/g, "") : "computed at"] : []);
  return [...table.rows].map((row, i) => csvLine([...[...row.cells].map(cell), ...extra(i)])).join("");
}

/** A line of comma-separated text; no cell of it is a formula to a spreadsheet. */
export function csvLine(cells: unknown[]): string {
  const safe = cells.map(String).map((text) => {
    const cell = NUMBER.test(text) ? text : text.replace(/^[=+\-@\t\r]/, "'$&");
    return /[",\r\n]/.test(cell) ? `"${cell.replace(/"/g, '""')}"` : cell;
  });
  return `${safe}\n`;
}

function save(name: string, type: string, text: string): void {
  const href = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  make("a", { href, download: name }).click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}
