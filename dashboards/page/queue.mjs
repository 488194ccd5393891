// The table of sweeps with their states, requests and actions.
import { element, find, KeyedList, set_text } from "./dom.mjs";
import { moment } from "./format.mjs";

export const has_ended = (sweep) => !["queued", "running"].includes(sweep.state);

// Shows the request without the dashes of its options. Lines break only between options.
export function show_asked(node, sweep) {
  const options = sweep.arguments.map((argument) => argument.replace(/^--/, ""));
  const wanted = options.length > 0 ? options : ["everything by default"];
  if (node.childElementCount === wanted.length && node.textContent === `${wanted.join(" ")} `) return;
  node.replaceChildren(...wanted.flatMap((option) => [element("span", { textContent: option }), " "]));
}

// A sweep's name in the list of sweeps to compare with.
export const name_of = (sweep) => [moment(sweep.finished_at),
  sweep.arguments.join(" ").slice(0, 60) || "everything by default", sweep.id].join(" \u00b7 ");

function time_of(sweep) {
  if (sweep.finished_at) return `ended ${moment(sweep.finished_at)}`;
  if (sweep.started_at) return `since ${moment(sweep.started_at)}`;
  return `queued ${moment(sweep.submitted_at)}`;
}

// `actions`: show(id), cancel(id), resume(id).
export function make_queue(actions) {
  const rows = new KeyedList(find("queue-rows"), make, update);
  let shown_id = "";

  function make({ id }) {
    const button = (name, label, act) => {
      const made = element("button", { type: "button", className: name, textContent: label });
      made.setAttribute("aria-label", `${label} sweep ${id}`);
      made.addEventListener("click", () => act(id));
      return made;
    };
    const row = element("tr", {},
      element("td", {}, element("span", { className: "state" })),
      element("td", { className: "asked" }, element("code"), element("p", { className: "message" }),
        element("p", { className: "quiet" })),
      element("td", { className: "actions" }, button("show", "Show", actions.show),
        button("cancel", "Cancel", actions.cancel), button("resume", "Resume", actions.resume)));
    row.dataset.id = id;
    return row;
  }

  function update(row, sweep) {
    const state = row.querySelector(".state");
    set_text(state, sweep.state);
    state.dataset.state = sweep.state;
    show_asked(row.querySelector("code"), sweep);
    set_text(row.querySelector(".message"), sweep.message ?? "");
    set_text(row.querySelector(".quiet"), `${time_of(sweep)} \u00b7 ${sweep.id}`);
    row.querySelector(".cancel").hidden = has_ended(sweep);
    row.querySelector(".resume").hidden = !sweep.resumable;
    row.querySelector(".show").setAttribute("aria-pressed", String(sweep.id === shown_id));
    row.classList.toggle("shown", sweep.id === shown_id);
  }

  return {
    show(sweeps, id) {
      shown_id = id;
      for (const id of ["queue-empty", "queue-first"]) find(id).hidden = sweeps.length > 0;
      find("queue-table").hidden = sweeps.length === 0;
      rows.show(sweeps, (sweep) => sweep.id);
    },
  };
}
