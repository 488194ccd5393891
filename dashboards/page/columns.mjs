// The modes, and the columns of numbers in the table of cells, from the binary's tables: made by
// tests/golden/generate_files.cpp.
export const MODES = ["eager","whole","piecewise"];
export const COLUMNS = [
{
  "key": "launches[].submit_seconds",
  "title": "submit",
  "help": "enqueueing a step"
},
{
  "key": "launches[].latency_seconds",
  "title": "latency",
  "help": "until the host sees the step done"
},
{
  "key": "launches[].device_seconds",
  "title": "device",
  "help": "first to last event, gaps included"
},
{
  "key": "summary.speedup_over_eager",
  "title": "gain",
  "help": "eager's latency over this mode's (?: perhaps none)"
},
{
  "key": "summary.throughput_over_eager",
  "title": "rate",
  "help": "back-to-back steps per second over eager's"
},
{
  "key": "setup_seconds",
  "title": "setup",
  "help": "making the graphs"
},
{
  "key": "summary.breakeven_steps",
  "title": "even",
  "help": "synchronous replays that pay back warmups and setup"
},
{
  "key": "summary.break_latency_seconds",
  "title": "break",
  "help": "latency over whole's, per break"
},
];
