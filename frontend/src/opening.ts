// The first screen: a file that is dropped or chosen goes up with its progress, and the list can be narrowed.

import { all, on, one, put, whenRead } from "./dom";

whenRead(() => {
  const form = one<HTMLFormElement>("[data-drop]");
  if (form) wireDrop(form);
  const filter = one<HTMLInputElement>("[data-filter]");
  on(filter, "input", () => {
    const wanted = filter!.value.toLowerCase();
    for (const line of all("[data-files] li")) line.hidden = !line.textContent!.toLowerCase().includes(wanted);
  });
  on<KeyboardEvent>(filter, "keydown", (event) => {
    if (event.key === "Enter") event.preventDefault();
  });
});

function wireDrop(form: HTMLFormElement): void {
  const told = one("[data-upload]", form)!;
  const most = Number(form.dataset.most);
  const stop = (event: Event): void => event.preventDefault();
  // A file that misses the field would be shown by the browser in place of the page.
  on(document, "dragover drop", stop);
  on(document, "dragenter", () => form.classList.add("over"));
  on<DragEvent>(document, "dragleave", (event) => {
    if (!event.relatedTarget) form.classList.remove("over");
  });
  on<DragEvent>(document, "drop", (event) => {
    form.classList.remove("over");
    const [file] = event.dataTransfer?.files ?? [];
    if (file) send(file);
  });
  on(form, "submit", (event) => {
    event.preventDefault();
    const [file] = one<HTMLInputElement>("input[type=file]", form)!.files ?? [];
    if (file) send(file);
  });

  function send(file: File): void {
    if (file.size > most) {
      put(told, `${file.name} has ${file.size.toLocaleString("en")} bytes; the upload limit is ${most.toLocaleString("en")}. Put it into the served folder: files there are read in place.`);
      return;
    }
    const body = new FormData();
    body.append("script", "1");
    body.append("file", file);
    const request = new XMLHttpRequest();
    request.open("POST", "/upload");
    on<ProgressEvent>(request.upload, "progress", ({ loaded, total }) => {
      put(told, `${file.name}: ${Math.round((100 * loaded) / total)} % uploaded`);
    });
    on(request, "load", () => {
      const { address, error } = answer(request.responseText);
      if (address) location.assign(address);
      else put(told, error ?? `Upload refused: ${request.responseText || request.status}`);
    });
    on(request, "error", () => put(told, "The workbench does not respond. Start it again with: assay serve"));
    request.send(body);
  }
}

function answer(text: string): { address?: string; error?: string } {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
