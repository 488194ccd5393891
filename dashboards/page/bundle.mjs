// Bundles this folder into one HTML file, and writes the policy that lets browsers run only that file's code:
// node bundle.mjs FOLDER writes page.html and page.policy. Equal sources give equal bytes.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

if (process.argv.length !== 3) {
  console.error("usage: node bundle.mjs FOLDER    writes page.html and page.policy");
  process.exit(2);
}
const here = (name) => fileURLToPath(new URL(name, import.meta.url));

async function bundled(entry) {
  const { outputFiles } = await build({
    entryPoints: [here(entry)], bundle: true, minify: true, write: false, format: "iife", target: "es2022",
    charset: "ascii", legalComments: "none", logLevel: "warning",
  });
  return outputFiles[0].text.trim();
}

// The policy lists inline parts by their hashes, so that browsers do not run injected code.
function inline(tag, text) {
  if (text.toLowerCase().includes(`</${tag}`)) throw new Error(`bundle: </${tag} stands inside of it`);
  return {
    html: `<${tag}>${text}</${tag}>`,
    source: `'sha256-${createHash("sha256").update(text).digest("base64")}'`,
  };
}

const script = inline("script", await bundled("entry.mjs"));
const style = inline("style", await bundled("style.css"));
const licence = readFileSync(here("node_modules/uplot/LICENSE"), "utf8").trim();
const icon = encodeURIComponent(readFileSync(here("icon.svg"), "utf8").replaceAll("\n", ""));
const parts = {
  "<!--ICON-->": `<link rel="icon" href="data:image/svg+xml,${icon}">`,
  "<!--STYLE-->": style.html,
  "<!--SCRIPT-->": `<!-- uPlot is part of this page.\n${licence}\n-->\n${script.html}`,
};
let html = readFileSync(here("page.html"), "utf8");
for (const [mark, text] of Object.entries(parts)) {
  if (html.split(mark).length !== 2) throw new Error(`bundle: page.html wants ${mark} once`);
  html = html.replace(mark, () => text);
}
const policy = [
  "default-src 'none'", `script-src ${script.source}`, `style-src ${style.source}`, "img-src data:",
  "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
  "require-trusted-types-for 'script'", "trusted-types 'none'",
].join("; ");
writeFileSync(join(process.argv[2], "page.html"), html);
writeFileSync(join(process.argv[2], "page.policy"), policy);
