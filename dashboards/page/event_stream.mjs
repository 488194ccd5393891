// Parses server-sent events from a response, because the browser's EventSource cannot send a token.

export class EventParser {
  #line = "";
  #event = { data: [] };

  // Returns the events that `text` completes, as [{ event, data }]. `last_id` is the id of the last event; a
  // new connection sends it, to receive only the events after that one.
  push(text) {
    const lines = (this.#line + text).split("\n");
    this.#line = lines.pop();
    return lines.map((line) => this.#take(line.replace(/\r$/, ""))).filter((event) => event !== null);
  }

  last_id = "";

  #take(line) {
    if (line === "") return this.#finish();
    const colon = line.indexOf(":");
    if (colon === 0) return null;  // a comment, which keeps the connection open
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") this.#event.data.push(value);
    if (name === "event") this.#event.event = value;
    if (name === "id") this.last_id = value;
    return null;
  }

  #finish() {
    const { event, data } = this.#event;
    this.#event = { data: [] };
    return data.length === 0 ? null : { event: event ?? "message", data: data.join("\n") };
  }
}
