import assert from "node:assert/strict";
import test from "node:test";

import { EventParser } from "../../../../dashboards/page/event_stream.mjs";

const STREAM = ": graphbench\n\nid: 52\nevent: cell\ndata: {\"a\":1}\n\n:\n\nevent: progress\ndata: {}\n\n";
const EVENTS = [{ event: "cell", data: '{"a":1}' }, { event: "progress", data: "{}" }];

test("events come out whole wherever the network cuts them", () => {
  for (let at = 0; at <= STREAM.length; ++at) {
    const parser = new EventParser();
    assert.deepEqual([...parser.push(STREAM.slice(0, at)), ...parser.push(STREAM.slice(at))], EVENTS);
    assert.equal(parser.last_id, "52");
  }
});

test("an event that the stream's end cuts off is none", () => {
  assert.deepEqual(new EventParser().push("event: done\ndata: {}\n"), []);
});

test("lines of data are one text, and line ends may be Windows'", () => {
  assert.deepEqual(new EventParser().push("data: a\r\ndata:b\r\ndata\r\n\r\n"),
    [{ event: "message", data: "a\nb\n" }]);
});
