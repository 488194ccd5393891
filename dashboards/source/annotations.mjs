// Makes annotations, which show when a new graphbench, driver or library began to measure.
import * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";

import { select } from "./queries.mjs";
import { DATASOURCE } from "./variables.mjs";

/* Families of facts, the labels that identify a fact within its family, and the text of its annotation. */
const FACTS = [
  ["build", ["instance"], "graphbench {{version}}"],
  ["device", ["instance", "device"], "{{name}}, driver {{driver}}, runtime {{runtime}}"],
  ["library", ["instance", "device", "name"], "{{name}} {{version}}"],
];

// Facts that are new in the last ten minutes, if others existed within a day: restarting a service with the
// same facts changes nothing. The ten minutes must not be shorter, because Grafana queries once per minute or
// less often.
function changed(facts, keys) {
  const of = keys.join(", ");
  return `${facts} unless ${facts} offset 10m ` +
    `and on (${of}) count by (${of}) (last_over_time(${facts}[1d])) > 1`;
}

/** `here` are matchers for the instances that the dashboard shows. */
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
