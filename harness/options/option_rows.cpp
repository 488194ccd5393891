// The rows of a sweep's options, but for the axes. One file, because it is the table. `--config` is not in
// it, because a configuration file cannot name another one.
#include <algorithm>

#include "graphs/base/text.hpp"
#include "harness/model/vocabulary.hpp"
#include "harness/options/option_table.hpp"
#include "harness/options/raw_options.hpp"

namespace graphbench::options {
namespace {

// The cells that an option changes.

bool in_graphs(const model::Cell& cell, std::string_view, const SweepOptions&) {
  return model::is_graph_mode(cell.mode);
}

bool in_graphs_alone(const model::Cell& cell, std::string_view device, const SweepOptions& options) {
  return in_graphs(cell, device, options) && !cell.more_axes.contains("ranks");
}

// Only programs, not foreign steps, are built, recorded and dumped by us.
bool is_program(const model::Cell& cell, std::string_view, const SweepOptions&) {
  return cell.preset != model::of_its_own;
}

bool is_captured_program(const model::Cell& cell, std::string_view device, const SweepOptions& options) {
  return is_program(cell, device, options) && in_graphs(cell, device, options);
}

bool is_training(const model::Cell& cell, std::string_view, const SweepOptions&) {
  return cell.pass == "training";
}

// A mode that a plugin's step brings may split too.
bool splits(const model::Cell& cell, std::string_view, const SweepOptions& options) {
  const bool own_mode = cell.preset == model::of_its_own && !options.torch.given();
  return cell.mode == "piecewise" || (own_mode && model::is_graph_mode(cell.mode) && cell.mode != "whole");
}

bool chooses_by_size(const model::Cell& cell, std::string_view device, const SweepOptions& options) {
  const auto dynamic = cell.more_axes.find("torch-dynamic");
  return is_program(cell, device, options) ? device != "host" : dynamic != cell.more_axes.end();
}

std::string io_of(const model::Cell& cell) {
  const auto found = cell.more_axes.find("io");
  return found == cell.more_axes.end() ? "" : found->second;
}

bool has_caller(const model::Cell& cell, std::string_view device, const SweepOptions& options) {
  const bool moves = options.caller.check_addresses && options.caller.addresses == "fresh";
  return !io_of(cell).empty() || (moves && is_captured_program(cell, device, options));
}

bool copies_inputs(const model::Cell& cell, std::string_view, const SweepOptions&) {
  return contains(std::vector<std::string>{"copy_in", "copy_in_out", "copy_if_moved"}, io_of(cell));
}

// A namespace, because the enumerators share names with functions of this room.
namespace table {

using enum OptionKind;
using enum OptionGroup;
using model::CallerOptions;
using model::InstrumentOptions;
using model::SamplingBounds;
using model::Settings;

// An option of one command line: it names a file or an address, or says what is run or printed.
OptionSpec here(OptionGroup group, const char* name, Value value, const char* placeholder, const char* help,
                OptionTraits traits = {}) {
  traits.local = true;
  return option(group, name, value, InHash::no, InAb::refused, placeholder, help, traits);
}

const std::vector<OptionSpec> own_options = {
    here(packages, "package", read_package, "FILE.gbp",
         "run a package that graphbench compile wrote, instead of building the workloads' programs",
         {.needs = {"weights"}}),
    here(packages, "weights", Read(), "FILE", "the weights file for --package", {.needs = {"package"}}),
    here(packages, "low-memory", Read(), "ON|OFF",
         "ON: load the weights of --package through a host buffer of 1 MiB, instead of one as large as "
         "the largest tensor (default: OFF)",
         {.needs = {"package"}}),
    option(plan, "set", read_set, InHash::no, InAb::own, "KEY=VALUE",
           "override a size of a workload: mlp.hidden=2048 (repeatable)",
           {.kind = repeated, .also = "bench ladder bill"}),
    here(torch, "torch", read_torch, "FILE.py:FUNCTION",
         "run the step that a Python function builds, as PyTorch runs it, instead of workloads "
         "(docs/torch.md); example:NAME is a step of \"graphbench list steps\"",
         {.also = "bench bill ladder doctor", .excludes = {"plugin", "workload", "package", "set"}}),
    here(torch, "python", Read(), "PATH",
         "the Python interpreter for --torch (default: python3, or the one that graphbench is installed in)",
         {.also = "bench bill ladder doctor", .needs = {"torch"}}),
    option(
        steps, "split-ops", at<&Settings::split_ops>, InHash::value, InAb::passed, "OP,...",
        "ops at which mode piecewise splits: kinds, or name patterns such as *.conv2 (default: the "
        "workload's own); for --torch calls by name or package.module:function, or auto (default: attention)",
        {.also = "bench ladder bill", .reach = {splits, "--mode piecewise"}, .noun = "op"}),
    option(
        steps, "io-addresses", at<&Settings::caller, &CallerOptions::addresses>, InHash::changed,
        InAb::passed, "WHICH",
        "rotate: the caller alternates between two sets of addresses; fresh: every step has new "
        "addresses (default: rotate)",
        {.also = "bench", .reach = {has_caller, "--io, with a graph mode"}, .choices = {"rotate", "fresh"}}),
    option(steps, "mutated-inputs", at<&Settings::caller, &CallerOptions::mutated_inputs>, InHash::changed,
           InAb::passed, "WHAT",
           "action if --io copies an input that the program writes to. refuse: refuse the cell; copy_back: "
           "copy the input back within the step (default: refuse)",
           {.also = "bench",
            .reach = {copies_inputs, "--io copy_in, copy_in_out or copy_if_moved, with a graph mode"},
            .choices = {"refuse", "copy_back"}}),
    option(steps, "on-skip", at<&Settings::caller, &CallerOptions::on_skip>, InHash::changed, InAb::passed,
           "WHAT",
           "action if a mode cannot hold the step. record: record the reason; eager: run the cell in mode "
           "eager (default: record)",
           {.reach = {in_graphs_alone, "a graph mode, such as --mode whole, and without --ranks"},
            .choices = {"record", "eager"}}),
    option(steps, "capture-stream", at<&Settings::caller, &CallerOptions::capture_stream>, InHash::changed,
           InAb::passed, "WHOSE",
           "stream on which steps are captured and run. own: a stream of graphbench's own; default: the "
           "device's default stream (default: own)",
           {.also = "bench", .choices = {"own", "default"}}),
    option(steps, "tune-sizes", at<&Settings::caller, &CallerOptions::tune_sizes>, InHash::changed,
           InAb::passed, "LIST",
           "batch sizes for which library algorithms are chosen, or --torch-dynamic on compiles, "
           "separately; all other sizes share theirs (default: library algorithms of every size, no code)",
           {.also = "bench ladder",
            .reach = {chooses_by_size, "--device cuda and a workload, or --torch-dynamic on"},
            .noun = "batch"}),
    option(steps, "check-addresses", at<&Settings::caller, &CallerOptions::check_addresses>, InHash::changed,
           InAb::passed, "",
           "before every replay, check that the graph has the caller's addresses; a moved address fails "
           "the cell",
           {.also = "bench",
            .reach = {is_captured_program, "a workload in a graph mode, such as --mode whole"}}),
    here(plan, "dump-program", at<&SweepOptions::dump_program>, "",
         "print each program and the ops that each mode captures, and stop", {.excludes = {"dry-run"}}),
    option(plan, "dry-run", at<&SweepOptions::dry_run>, InHash::no, InAb::own, "",
           "print the number of cells and processes and the estimated time, and stop",
           {.also = "ladder bill floor canary", .local = true}),
    option(measuring, "launches", at<&SweepOptions::launches>, InHash::no, InAb::own, "N",
           "worker processes per cell; 3 or more give intervals (default: 3)",
           {.also = "ladder", .range = {1, 10'000}, .brief = true}),
    option(measuring, "seed", at<&Settings::seed>, InHash::no, InAb::own, "N",
           "random seed of the data and of the order (default: 1)", {.also = "bench ladder bill"}),
    option(measuring, "time-per-cell", at<&Settings::sampling, &SamplingBounds::seconds_max>, InHash::value,
           InAb::passed, "SECONDS",
           "maximum sampling time per cell and launch (default: 0.15; 1 for foreign steps)"),
    option(measuring, "samples-max", at<&Settings::sampling, &SamplingBounds::samples_max>, InHash::value,
           InAb::passed, "N", "maximum number of samples per cell and pass (default: 2000)",
           {.range = {1, 10'000'000}}),
    option(measuring, "worker-timeout", at<&SweepOptions::worker_timeout_seconds>, InHash::no, InAb::passed,
           "SECONDS", "end a worker that is silent for this long (default: 120)",
           {.also = "bench ladder bill floor"}),
    here(measuring, "cache", at<&SweepOptions::cache>, "DIR|off",
         "keep library choices in this folder for later processes (default: GRAPHBENCH_PLAN_CACHE, else "
         "graphbench/plans in ~/.cache)",
         {.also = "bench ladder bill"}),
    option(measuring, "cold-l2", at<&Settings::instruments, &InstrumentOptions::cold_l2>, InHash::no,
           InAb::passed, "", "flush the device's last-level cache before every timed step",
           {.also = "bench"}),
    option(measuring, "sustained", read_sustained, InHash::no, InAb::passed, "SECONDS",
           "after the timing, time each cell under load when clock and power are steady; SECONDS is the "
           "time limit (without SECONDS: 15)",
           {.kind = real, .alone = "15"}),
    option(training, "evaluate", at<&Settings::instruments, &InstrumentOptions::evaluate>, InHash::no,
           InAb::passed, "",
           "after the timing, run each training cell's forward program, without gradients, with the "
           "trained parameters",
           {.reach = {is_training, "--pass training"}}),
    option(measuring, "profile", at<&Settings::instruments, &InstrumentOptions::profile>, InHash::no,
           InAb::refused, "", "after the timing, record each cell's kernels, busy time and gaps"),
    here(results, "json", at<&SweepOptions::json>, "FILE",
         "write the result document to FILE; - for stdout (default: graphbench.json)",
         {.also = "ladder bill floor canary doctor", .brief = true}),
    here(results, "samples", at<&SweepOptions::samples>, "FILE.npz",
         "write every sample to a file for numpy.load (default: none)"),
    here(results, "report", at<&SweepOptions::report>, "FILE.html",
         "write the result as an HTML page (default: none)"),
    here(results, "dump-graph", read_dump_graph, "DIR",
         "write each cell's graphs to DIR as DOT and JSON, and the cell's program with its splits",
         {.reach = {is_captured_program, "a workload in a graph mode, such as --mode whole"}}),
    here(results, "trace", at<&SweepOptions::trace>, "FILE",
         "write the profiled steps as a Chrome trace (implies --profile)",
         {.reach = {is_program, "a workload"}}),
    option(results, "quiet", at<&SweepOptions::quiet>, InHash::no, InAb::own, "",
           "do not print progress or the table", {.also = "ladder bill floor canary", .local = true}),
    option(plugins, "plugin", read_plugins, InHash::no, InAb::own, "FILE.so",
           "load the workloads of a plugin (repeatable)",
           {.kind = repeated, .also = "bench ladder bill list", .local = true}),
    here(prometheus, "prometheus-listen", at<&SweepOptions::prometheus, &PrometheusOptions::listen>,
         "ADDR:PORT", "serve /metrics at this address while the sweep runs"),
    here(prometheus, "prometheus-allow-remote",
         at<&SweepOptions::prometheus, &PrometheusOptions::allow_remote>, "",
         "allow a --prometheus-listen address that other machines can reach",
         {.needs = {"prometheus-listen"}}),
    here(prometheus, "tls-certificate",
         at<&SweepOptions::prometheus, &PrometheusOptions::tls, &TlsOptions::certificate>, "FILE.pem",
         "serve https with this file: the certificate, then its chain", {.needs = {"prometheus-listen"}}),
    here(prometheus, "tls-key", at<&SweepOptions::prometheus, &PrometheusOptions::tls, &TlsOptions::key>,
         "FILE.pem", "the certificate's key", {.needs = {"prometheus-listen"}}),
    here(prometheus, "linger", at<&SweepOptions::prometheus, &PrometheusOptions::linger_seconds>, "SECONDS",
         "keep serving /metrics for this long after the sweep (default: stop at once)",
         {.needs = {"prometheus-listen", "push-delete"}}),
    here(prometheus, "prometheus-textfile", read_textfile, "FILE.prom",
         "write the metrics to a file for the node exporter", {.also = "ladder bill"}),
    here(prometheus, "prometheus-push", at<&SweepOptions::prometheus, &PrometheusOptions::push>, "URL",
         "push the metrics to a Pushgateway when the sweep is done"),
    here(prometheus, "push-grouping", at<&SweepOptions::prometheus, &PrometheusOptions::grouping>,
         "KEY=VALUE,...", "grouping keys for the Pushgateway, in addition to job and instance",
         {.needs = {"prometheus-push"}, .noun = "grouping key"}),
    here(prometheus, "push-delete", at<&SweepOptions::prometheus, &PrometheusOptions::push_delete>, "",
         "delete the pushed metrics before exiting, after --linger", {.needs = {"prometheus-push"}}),
    here(prometheus, "baseline", at<&SweepOptions::prometheus, &PrometheusOptions::baseline>, "FILE",
         "compare the sweep with this result, or folder of results, and publish the comparison",
         {.needs = {"prometheus-listen", "prometheus-textfile", "prometheus-push"}}),
    here(prometheus, "against", at<&SweepOptions::prometheus, &PrometheusOptions::against>, "NAME",
         "use the history's latest result of this branch, label or commit as --baseline",
         {.needs = {"prometheus-listen", "prometheus-textfile", "prometheus-push"}}),
    here(prometheus, "history", at<&SweepOptions::prometheus, &PrometheusOptions::history>, "FILE",
         "the history file for --against"),
    here(measuring, "shape-trace", read_shape_options, "FILE",
         "after the timing, once per task, run the steps that the file lists (batch size and sequence "
         "length per line) with a cache of programs",
         {.reach = {is_program, "a workload"}}),
    here(measuring, "shape-programs", Read(), "N",
         "maximum number of programs that --shape-trace keeps (default: 8)",
         {.kind = integer, .needs = {"shape-trace"}}),
    here(measuring, "shape-recordings", Read(), "N",
         "maximum number of recordings that --shape-trace keeps, over all its programs (default: 64)",
         {.kind = integer, .needs = {"shape-trace"}}),
    option(machine, "device", read_device, InHash::no, InAb::own, "DEVICE",
           "cuda, cuda:N or host; cuda:0,cuda:1 or all: in turn (default: cuda; host without a GPU)",
           {.also = "bench ladder bill floor canary doctor", .brief = true}),
    here(machine, "concurrent", Read(), "",
         "measure several devices at the same time; they share CPU, power and bus", {.kind = flag}),
    here(shards, "shard", Read(), "I/N",
         "measure part I of N of the plan; auto: take I and N from the scheduler's variables; {shard} in "
         "other options becomes I-of-N"),
    here(shards, "shard-by", Read(), "WHAT",
         "task: the shards divide the plan; replica: each shard measures the whole plan on its own GPU "
         "(default: task)",
         {.needs = {"shard"}}),
    here(shards, "costs", Read(), "FILE",
         "balance the shards by the times in an earlier result (default: by an estimate)",
         {.needs = {"shard"}}),
    option(machine, "cpu", at<&Settings::instruments, &InstrumentOptions::cpu>, InHash::no, InAb::passed, "N",
           "CPU of the submitting thread (default: the highest quiet CPU that this process may use)",
           {.also = "bench ladder bill floor canary", .excludes = {"no-pin"}, .range = {0, 1023}}),
    option(machine, "no-pin", read_no_pin, InHash::no, InAb::passed, "",
           "let the system choose the CPU of the submitting thread",
           {.kind = flag, .also = "bench ladder bill floor canary"}),
};

}  // namespace table
}  // namespace

const std::vector<OptionSpec>& option_rows() {
  return table::own_options;
}

}  // namespace graphbench::options
