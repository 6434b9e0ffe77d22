// What every screen of the workbench has: the drawer with the code that gives the same, and word of the server.

import { all, attrs, on, one, whenRead } from "./dom";
import { watchServer } from "./server";
import { copied } from "./told";

whenRead(watchServer);
whenRead(() => {
  const drawer = one(".drawer");
  if (!drawer) return;
  const tabs = all<HTMLButtonElement>("[data-code]", drawer);
  const texts = all("pre[data-of]", drawer);
  const fold = one<HTMLButtonElement>("[data-drawer]", drawer);
  const choose = (wanted: string): void => {
    for (const tab of tabs) attrs(tab, { "aria-pressed": String(tab.dataset.code === wanted) });
    for (const text of texts) text.hidden = text.dataset.of !== wanted;
  };
  for (const tab of tabs)
    on(tab, "click", () => {
      choose(tab.dataset.code!);
      attrs(fold!, { "aria-expanded": "true" });
      fold!.textContent = "Hide";
    });
  const chosen = (): string => tabs.find((tab) => tab.getAttribute("aria-pressed") === "true")?.dataset.code ?? "python";
  const copy = one("[data-copy-code]", drawer);
  on(copy, "click", () => void copied(texts.find((text) => text.dataset.of === chosen())?.textContent ?? "", copy!));
  on(fold, "click", () => {
    const isOpen = fold!.getAttribute("aria-expanded") === "true";
    attrs(fold!, { "aria-expanded": String(!isOpen) });
    fold!.textContent = isOpen ? "Show" : "Hide";
    if (isOpen) texts.forEach((text) => (text.hidden = true));
    else choose(chosen());
  });
});
