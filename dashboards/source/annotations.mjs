// Annotations: the times from which another graphbench, driver or library measured.
import * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";

import { select } from "./queries.mjs";
import { DATASOURCE } from "./variables.mjs";

/* Families of facts, the labels that tell two facts of a family apart, and the annotation of a new fact. */
const FACTS = [
  ["build", ["instance"], "graphbench {{version}}"],
  ["device", ["instance", "device"], "{{name}}, driver {{driver}}, runtime {{runtime}}"],
  ["library", ["instance", "device", "name"], "{{name}} {{version}}"],
];

// Facts that appeared in the last ten minutes, if there were others within a day: a service that restarts
// with the same facts has changed nothing. Ten minutes, because Grafana asks once per minute or less often,
// and would miss a moment.
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
