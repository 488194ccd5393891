// The modes, and the columns of numbers in the table of cells, from the binary's tables: made by
// tests/golden/generate_files.cpp.
export const MODES = ["eager","whole","piecewise"];
export const COLUMNS = [
{
  "key": "submit_seconds",
  "kind": "time",
  "distribution": true,
  "title": "submit",
  "help": "enqueueing a step"
},
{
  "key": "latency_seconds",
  "kind": "time",
  "distribution": true,
  "title": "latency",
  "help": "until the host sees the step done"
},
{
  "key": "device_seconds",
  "kind": "time",
  "distribution": true,
  "title": "device",
  "help": "between events"
},
{
  "key": "speedup_over_eager",
  "kind": "ratio",
  "distribution": false,
  "title": "gain",
  "help": "eager's latency over this mode's"
},
{
  "key": "throughput_over_eager",
  "kind": "ratio",
  "distribution": false,
  "title": "rate",
  "help": "back-to-back steps per second over eager's"
},
{
  "key": "setup_seconds",
  "kind": "time",
  "distribution": false,
  "title": "setup",
  "help": "capture + instantiate + upload"
},
{
  "key": "breakeven_steps",
  "kind": "count",
  "distribution": false,
  "title": "even",
  "help": "synchronous replays that pay back warmups and setup"
},
];
