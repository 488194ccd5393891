// The tables of commands. A new command needs a file, a declaration and a row here.
#include "harness/cli/commands.hpp"

#include "harness/bill/bill_process.hpp"
#include "harness/canary/canary_process.hpp"
#include "harness/ladder/ladder_process.hpp"
#include "harness/measure/floor/floor_process.hpp"
#include "harness/measure/worker/worker.hpp"
#include "harness/sweep/probe.hpp"

namespace graphbench::bill {
std::unique_ptr<options::Command> make_bill(options::Options& options);
}

namespace graphbench::canary {
std::unique_ptr<options::Command> make_canary(options::Options& options);
}

namespace graphbench::judge {
std::unique_ptr<options::Command> make_compare(options::Options& options);
std::unique_ptr<options::Command> make_merge(options::Options& options);
std::unique_ptr<options::Command> make_ab(options::Options& options);
std::unique_ptr<options::Command> make_history(options::Options& options);
}  // namespace graphbench::judge

namespace graphbench::ladder {
std::unique_ptr<options::Command> make_ladder(options::Options& options);
}

namespace graphbench::service {
std::unique_ptr<options::Command> make_report(options::Options& options);
std::unique_ptr<options::Command> make_serve(options::Options& options);
}  // namespace graphbench::service

namespace graphbench::sweep {
std::unique_ptr<options::Command> make_bench(options::Options& options);
}

namespace graphbench::cli {

std::unique_ptr<options::Command> make_sweep(options::Options& options);
std::unique_ptr<options::Command> make_list(options::Options& options);
std::unique_ptr<options::Command> make_example(options::Options& options);
std::unique_ptr<options::Command> make_floor(options::Options& options);
std::unique_ptr<options::Command> make_show(options::Options& options);
std::unique_ptr<options::Command> make_doctor(options::Options& options);
std::unique_ptr<options::Command> make_cache(options::Options& options);
std::unique_ptr<options::Command> make_compile(options::Options& options);
std::unique_ptr<options::Command> make_package(options::Options& options);
std::unique_ptr<options::Command> make_completion(options::Options& options);

namespace {

std::vector<CommandRow> measuring() {
  using enum CommandGroup;
  return {
      {measure,
       "--sweep",
       "run a sweep, the main job; `sweep` and `--sweep` are the same",
       "--sweep [options]",
       make_sweep,
       {{"sweep --batch 1:64:x2 --warmup 3 --launches 5", "measure the built-in workloads, with intervals",
         true},
        {"sweep --torch step.py:build --launches 5", "measure your own PyTorch step", true},
        {"sweep --workload mlp --mode full,none --dry-run", "how long the sweep would take"}}},
      {measure,
       "ladder",
       "serve a trace of batch sizes from captured graphs, and report the cost",
       "ladder --traffic TRAFFIC [--capture-sizes LIST] [options]",
       ladder::make_ladder,
       {{"ladder --traffic zipf:1:512 --suggest", "suggest the sizes to capture for a traffic", true}}},
      {measure,
       "bill",
       "predict memory and start-up time of all sizes from a few captures",
       "bill [--capture-sizes LIST] [--predict-from K] [options]",
       bill::make_bill,
       {{"bill --workload mlp --capture-sizes 1:512:x2",
         "how much memory to reserve, and the time to start up"},
        {"bill --torch step.py:build --measure all",
         "the memory of your own step, with a check of the prediction"}}},
      {measure,
       "floor",
       "measure the minimum cost of launches, graphs and waits on this machine",
       "floor [--device DEVICE] [--json FILE] [options]",
       make_floor,
       {{"floor --device cuda", "the minimum cost of launches, graphs and waits"}}},
      {measure,
       "canary",
       "say in a minute whether graphs are slower, broken or hung under another driver",
       "canary [--against DOC] [--json FILE] [options]",
       canary::make_canary,
       {{"canary --json before.json", "before the driver is updated"},
        {"canary --against before.json", "after it: same, slower, hung or blind"}}},
  };
}

std::vector<CommandRow> preparing() {
  using enum CommandGroup;
  return {
      {measure,
       "bench",
       "run the cells in this process as a Google Benchmark program",
       "bench [options of --sweep] [--benchmark_NAME=VALUE]...",
       sweep::make_bench,
       {{"bench --workload mlp --batch 1,64 --benchmark_repetitions=9", "with Google Benchmark's own flags"}},
       true},
      {measure,
       "doctor",
       "say what stops CUDA graphs from capturing a step of PyTorch, by op and line",
       "doctor --torch FILE.py:FUNCTION [options]",
       make_doctor,
       {{"doctor --torch step.py:build", "each op that stops a capture, with its line"}}},
      {measure,
       "list",
       "list workloads, devices, modes, presets, metrics, ...",
       "list [WHAT] [options]",
       make_list,
       {{"list devices", "which devices work here, and why others do not"},
        {"list metrics --format json", "every metric of a result document"}}},
      {measure,
       "example",
       "print a step of PyTorch, a file to start your own from",
       "example NAME",
       make_example,
       {{"example decode > step.py", "then: graphbench sweep --torch step.py:build"}}},
  };
}

std::vector<CommandRow> comparing() {
  using enum CommandGroup;
  return {
      {compare,
       "show",
       "print a result again: as a table, Markdown or CSV",
       "show FILE [options]",
       make_show,
       {{"show graphbench.json", "the table that the sweep printed"},
        {"show graphbench.json --format csv --columns latency,exec_bytes", "one row per cell"}}},
      {compare,
       "report",
       "write one or two results, or series, as one page",
       "report DOC... [-o FILE]",
       service::make_report,
       {{"report graphbench.json -o report.html", "conclusions, figures and tables in one file"},
        {"report base.json new.json -o report.html", "what changed between two results, with intervals"}}},
      {compare,
       "compare",
       "say what became slower between two results",
       "compare BASE NEW [options]",
       judge::make_compare,
       {{"compare base.json new.json --margin 2%", "did NEW get slower? exit code 10 means yes", true}}},
      {compare,
       "ab",
       "compare two binaries or environments, measured in turn; without options: this binary with itself",
       "ab [--base BINARY] [--new BINARY] [options]",
       judge::make_ab,
       {{"ab --base old/bin/graphbench --workload mlp", "did this build get slower?"},
        {"ab", "the smallest change that this machine can find"}}},
      {compare,
       "merge",
       "join the shards of one plan into one result",
       "merge SHARD... -o FILE [options]",
       judge::make_merge,
       {{"merge graphbench.*-of-8.json -o graphbench.json", "join the files of --shard 1/8 to 8/8"}}},
      {compare,
       "history",
       "keep results over time and find where they changed",
       "history add|list|remove|show [options]",
       judge::make_history,
       {{"history add base.json", "store a result under its commit and branch"},
        {"history list", "list the stored entries"},
        {"history show", "list the cells that changed"}}},
  };
}

std::vector<CommandRow> operating() {
  using enum CommandGroup;
  return {
      {operate,
       "serve",
       "run sweeps on request, over HTTP, with a page and metrics",
       "serve [--listen ADDR:PORT] [--state DIR] [--baseline FILE] [options]",
       service::make_serve,
       {{"serve --state results", "a page and an API at http://127.0.0.1:9464"}}},
      {operate,
       "cache",
       "list, check or remove the library choices that are kept between processes",
       "cache list|verify|prune [options]",
       make_cache,
       {{"cache list", "list the entries, with the time to make each"},
        {"cache verify", "check that each entry can be read"},
        {"cache prune --older-than 30d", "remove entries that were not used for a month"}}},
      {operate,
       "compile",
       "make a workload's programs ahead of time, as a package that --sweep runs",
       "compile --workload W --batch LIST --weights FILE -o FILE.gbp [options]",
       make_compile,
       {{"compile --workload mlp --batch 1,8 --weights mlp.weights -o mlp.gbp", "for --sweep --package"}}},
      {operate,
       "package",
       "print the contents of a package",
       "package inspect FILE [options]",
       make_package,
       {{"package inspect mlp.gbp", "print the programs, batches and weights"}}},
      {operate,
       "completion",
       "print a shell's completions, or the manual page",
       "completion bash|zsh|fish|man",
       make_completion,
       {{"completion bash > ~/.local/share/bash-completion/completions/graphbench", "for new shells"},
        {"completion man | man -l -", "read the manual page"}}},
  };
}

}  // namespace

const std::vector<CommandRow>& commands() {
  static const std::vector<CommandRow> rows = [] {
    std::vector<CommandRow> all = measuring();
    for (const std::vector<CommandRow>& more : {preparing(), comparing(), operating()})
      all.insert(all.end(), more.begin(), more.end());
    return all;
  }();
  return rows;
}

const std::vector<ChildRow>& children() {
  static const std::vector<ChildRow> rows = {
      {options::worker_role, [](std::string_view parent) { return measure::worker_main(parent, nullptr); }},
      {options::probe_role, [](std::string_view parent) { return sweep::probe_main(parent); }},
      {options::floor_role, measure::floor_main},
      {canary::canary_role, canary::canary_main},
      {options::ladder_role, [](std::string_view parent) { return ladder::ladder_main(parent, nullptr); }},
      {options::served_role, run_served},
      {options::bill_role, [](std::string_view parent) { return bill::bill_main(parent, nullptr); }},
  };
  return rows;
}

}  // namespace graphbench::cli
