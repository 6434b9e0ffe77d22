// What every screen of the workbench has: the drawer with the code that gives the same.

import { all, attrs, make, on, one, whenRead } from "./dom";

whenRead(() => {
  const drawer = one(".drawer");
  if (!drawer) return;
  const tabs = all<HTMLButtonElement>("[data-code]", drawer);
  const texts = all("pre[data-of]", drawer);
  const choose = (wanted: string): void => {
    for (const tab of tabs) attrs(tab, { "aria-pressed": String(tab.dataset.code === wanted) });
    for (const text of texts) text.hidden = text.dataset.of !== wanted;
  };
  for (const tab of tabs) on(tab, "click", () => choose(tab.dataset.code!));
  on(one("[data-copy-code]", drawer), "click", () => void copied(drawer, texts.find((text) => !text.hidden)?.textContent ?? ""));
  const fold = one<HTMLButtonElement>("[data-drawer]", drawer);
  on(fold, "click", () => {
    const isOpen = fold!.getAttribute("aria-expanded") === "true";
    attrs(fold!, { "aria-expanded": String(!isOpen) });
    fold!.textContent = isOpen ? "Show" : "Hide";
    const shown = tabs.find((tab) => tab.getAttribute("aria-pressed") === "true")?.dataset.code ?? "python";
    if (isOpen) texts.forEach((text) => (text.hidden = true));
    else choose(shown);
  });
});

async function copied(drawer: HTMLElement, text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // A browser that keeps its clipboard from pages: through a field, as it was done before.
    const field = make("textarea", { value: text });
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
  const told = one("[data-copied]", drawer);
  if (told) told.textContent = "Copied";
}
