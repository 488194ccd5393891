// Annotations: when another graphbench, driver or library measured than before.
import * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";

import { select } from "./queries.mjs";
import { DATASOURCE } from "./variables.mjs";

/** Families of facts, what tells two of them apart beside their values, and what is said of a new one. */
const FACTS = [
  ["build", ["instance"], "graphbench {{version}}"],
  ["device", ["instance", "device"], "{{name}}, driver {{driver}}, runtime {{runtime}}"],
  ["library", ["instance", "device", "name"], "{{name}} {{version}}"],
];

// Facts that came in the last ten minutes, where there were others within a day: a service that starts again
// with the same ones has changed nothing. Grafana asks once a minute or less often: it would miss a moment.
function changed(facts, keys) {
  const of = keys.join(", ");
  return `${facts} unless ${facts} offset 10m ` +
    `and on (${of}) count by (${of}) (last_over_time(${facts}[1d])) > 1`;
}

/** `here` are matchers of the instances that the dashboard shows. */
export function annotate(builder, here) {
  for (const [what, keys, title] of FACTS) {
    builder.annotation(new dashboard.AnnotationQueryBuilder()
      .name(`New ${what}`)
      .datasource(DATASOURCE)
      .enable(true)
      .iconColor("purple")
      .expr(changed(select(`graphbench_${what}_info`, here), keys))
      .step("60s")
      .titleFormat(title));
  }
  return builder;
}
