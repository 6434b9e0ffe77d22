// A page that waits: it tells what is being done, and makes room for the result.

import { on, one, put, whenRead } from "./dom";
import { BACK } from "./server";

whenRead(() => {
  const job = one("[data-job]");
  if (!job) return;
  const began = Date.now();
  setInterval(() => put(one("[data-seconds]")!, `${Math.round((Date.now() - began) / 1000)} s`), 1000);
  // The work was lost with the server; asked for again, it begins anew.
  on(document, BACK, () => location.reload());
  const told = new EventSource(job.dataset.job!);
  on(told, "error", () => {
    // Not known any more: whether it is done shows when the page is asked for again.
    if (told.readyState === EventSource.CLOSED && one("[data-away]")!.hidden) setTimeout(() => location.reload(), 2000);
  });
  on<MessageEvent>(told, "message", ({ data }) => {
    const { stage, done } = JSON.parse(data);
    if (stage) put(one("[data-stage]")!, stage);
    if (done) {
      told.close();
      location.reload();
    }
  });
});
