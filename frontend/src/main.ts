// The page comes alive: one state, one function that shows it, and controls that change it.

import { Controls } from "./controls";
import { readPage } from "./data";
import { RowTables } from "./rows";

function start(): void {
  const page = readPage(document);
  if (!page) return;
  document.querySelectorAll("[data-needs-script]").forEach((part) => part.removeAttribute("hidden"));
  const rows = new RowTables(page.rows);
  if (page.parts.length) new Controls(page, rows);
}

// The script stands at the end of the page, but a page that moves it elsewhere must work too.
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
else start();
