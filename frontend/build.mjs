// Builds the page's script; with --check, fails where the committed file is not what the sources make.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const target = fileURLToPath(new URL("../src/assay/report/templates/report.js", import.meta.url));
const made = await build({
  entryPoints: [fileURLToPath(new URL("src/main.ts", import.meta.url))],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "ascii",
  legalComments: "none",
  write: false,
});
const text = made.outputFiles[0].text;
// The script stands inside the page: nothing in it may end its element.
if (/<\/script|<!--/i.test(text)) throw new Error("the script holds text that would end its own element");
if (process.argv.includes("--check")) {
  const committed = await readFile(target, "utf8").catch(() => "");
  if (committed !== text) {
    console.error("report.js is not what frontend/src makes; type: make frontend");
    process.exit(1);
  }
} else {
  await writeFile(target, text);
  console.log(`report.js: ${text.length} bytes`);
}
