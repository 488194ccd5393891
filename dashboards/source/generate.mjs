// Writes the dashboards as JSON: node generate.mjs FOLDER. Equal sources give equal bytes.
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { cell } from "./cell.mjs";
import { ladder } from "./ladder.mjs";
import { numbered } from "./links.mjs";
import { overview } from "./overview.mjs";
import { regressions } from "./regressions.mjs";
import { service } from "./service.mjs";

if (process.argv.length !== 3) {
  console.error("usage: node generate.mjs FOLDER    writes the dashboards");
  process.exit(2);
}
// Makes all dashboards before it writes one, so that an error leaves the folder unchanged.
const makers = Object.entries({ overview, cell, ladder, regressions, service });
const files = makers.map(([name, make]) => [`${name}.json`, JSON.stringify(numbered(make()), null, 2)]);
for (const [name, text] of files) writeFileSync(join(process.argv[2], name), `${text}\n`);
