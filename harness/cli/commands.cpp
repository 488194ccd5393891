// The tables of commands. A new command needs its file, a declaration and a row here.
#include "harness/cli/commands.hpp"

#include "harness/ladder/ladder_process.hpp"
#include "harness/measure/floor/floor_process.hpp"
#include "harness/measure/worker/worker_main.hpp"
#include "harness/sweep/probe_main.hpp"

namespace graphbench::cli {

using Made = std::unique_ptr<Command>;
Made make_sweep(Options& options);
Made make_list(Options& options);
Made make_floor(Options& options);
Made make_ladder(Options& options);
Made make_bench(Options& options);
Made make_show(Options& options);
Made make_compare(Options& options);
Made make_merge(Options& options);
Made make_ab(Options& options);
Made make_history(Options& options);
Made make_doctor(Options& options);
Made make_cache(Options& options);
Made make_compile(Options& options);
Made make_package(Options& options);
Made make_serve(Options& options);

const std::vector<CommandRow>& commands() {
  static const std::vector<CommandRow> rows = {
      {"--sweep", "run a sweep (the main job)", "--sweep [options]", make_sweep},
      {"list", "say what there is: workloads, devices, modes, presets, ...", "list [WHAT] [options]",
       make_list},
      {"floor", "measure what this machine can do at best", "floor [--device DEVICE] [--json FILE] [options]",
       make_floor},
      {"ladder", "serve a traffic of batch sizes from a ladder of captured ones, and say what it costs",
       "ladder --traffic TRAFFIC [--capture-sizes LIST] [options]", make_ladder},
      {"bench", "run the cells in this process as a Google Benchmark program",
       "bench [options of --sweep] [--benchmark_NAME=VALUE]...", make_bench, true},
      {"show", "print a result again: as a table, Markdown or CSV", "show FILE [options]", make_show},
      {"compare", "say what became slower between two results", "compare BASE NEW [options]", make_compare},
      {"merge", "the shards of one plan as one result", "merge SHARD... -o FILE [options]", make_merge},
      {"ab",
       "measure two binaries or environments side by side and say what became slower; or this one against "
       "itself and say what this machine can find",
       "ab [--base BINARY] [--new BINARY] [options]", make_ab},
      {"history", "keep results over time and find where they changed", "history add|list|show [options]",
       make_history},
      {"doctor", "say what stops CUDA graphs from capturing a step of PyTorch, by op and line",
       "doctor --torch FILE.py:FUNCTION [options]", make_doctor},
      {"cache", "what is kept between processes: library choices", "cache list|verify|prune [options]",
       make_cache},
      {"compile", "make a workload's programs ahead of time, as a package that --sweep runs",
       "compile --workload W --batch LIST --weights FILE -o FILE.gbp [options]", make_compile},
      {"package", "what a package holds", "package inspect FILE [options]", make_package},
      {"serve", "run sweeps on request, over HTTP",
       "serve [--listen ADDR:PORT] [--state DIR] [--baseline FILE] [options]", make_serve},
  };
  return rows;
}

const std::vector<ChildRow>& children() {
  static const std::vector<ChildRow> rows = {
      {worker_role, worker::worker_main}, {probe_role, sweep::probe_main}, {floor_role, floors::floor_main},
      {ladder_role, ladder::ladder_main}, {served_role, run_served},
  };
  return rows;
}

}  // namespace graphbench::cli
