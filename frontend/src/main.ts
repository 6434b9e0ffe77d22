// The page comes alive: one state, one function that shows it, and controls that change it.

import { Controls } from "./controls";
import { readData } from "./data";
import { View } from "./view";

function start(): void {
  const data = readData(document);
  if (!data) return;
  const view = new View(data);
  new Controls(data, view);
}

// The script stands at the end of the page, but a page that moves it elsewhere must work too.
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
else start();
