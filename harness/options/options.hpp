// The options of a sweep: raw values with the place they were given at, then checked values.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/model/axes.hpp"
#include "harness/model/plan.hpp"

namespace graphbench::config {

struct ShardOption {
  std::int64_t index = 1;  // from 1 to count
  std::int64_t count = 1;
  bool replica = false;  // --shard-by replica: the whole plan
  std::string costs;     // --costs: a document; empty: none
  std::string said;      // the variables that named the shard, for `auto`; empty otherwise
};

inline constexpr std::int64_t shards_max = 100'000;

// A variable's value; null if it is not set.
using Variables = std::function<const char*(const char* name)>;

// `text`: "3/8", or "auto", which asks `variables`. Throws InputError, which begins with `where`.
ShardOption read_shard(const std::string& where, const std::string& text, const Variables& variables);

// One value as written. `where` begins messages about it: "--batch" or "sweep.toml:3: batch".
struct RawItem {
  std::string text;
  std::string where;
};

// By option name. A list option may have several items, each of which may hold commas.
using RawOptions = std::map<std::string, std::vector<RawItem>>;

// Flags win over the file, option by option; `set` is merged key by key.
RawOptions merge(RawOptions file, const RawOptions& flags);

// A `--set WORKLOAD.KEY=VALUE`.
struct SetOption {
  std::string workload;
  std::string key;
  std::int64_t value = 0;
  std::string where;
  bool from_flag = false;  // one on the command line must name a workload of the sweep
};

// A server's PEM files; an empty text: none. harness/service/publish checks them.
struct TlsOptions {
  std::string certificate;
  std::string key;
};

// A Python function that builds a step of PyTorch; an empty file: none.
struct TorchStep {
  std::string file;  // an absolute path
  std::string function;
  std::string python;  // the interpreter's path

  bool given() const { return !file.empty(); }
  std::string name() const { return file + ":" + function; }
};

// How results reach Prometheus; an empty text: not that way. harness/service/publish checks the texts.
struct PrometheusOptions {
  std::string listen;
  bool allow_remote = false;
  TlsOptions tls;
  double linger_seconds = 0;
  std::string textfile;
  std::string push;
  std::vector<std::string> grouping;  // KEY=VALUE
  bool push_delete = false;
  std::string baseline;  // the result that the sweep is compared with; empty: none
  std::string against;   // the name that it has in the history instead; empty: none
  std::string history;   // the history's file; empty: the default one
};

// Checked without knowing the device and the workloads; absent: the default that depends on them.
struct SweepOptions {
  model::Axes axes;                     // an empty list: all built in workloads, or the device's default
  std::vector<model::Axes> more_grids;  // of --grid
  std::string device = "auto";
  std::int64_t launches = 1;
  std::string json = "graphbench.json";  // of a shard "graphbench.I-of-N.json"
  std::optional<ShardOption> shard;
  std::string samples;               // empty: no sample file
  std::vector<std::string> plugins;  // absolute paths of files that exist
  std::vector<SetOption> set;
  std::vector<std::string> split_ops;
  std::int64_t seed = 1;
  model::SamplingBounds sampling;
  double worker_timeout_seconds = 120;
  std::string cache;  // a folder, "off"; empty: where the environment says
  model::CallerOptions caller;
  model::PackageFiles package;  // without its digest
  TorchStep torch;
  model::InstrumentOptions instruments;
  std::string trace;  // empty: none
  PrometheusOptions prometheus;
  bool quiet = false;
  bool dump_program = false;
  bool dry_run = false;
  std::map<std::string, std::string> places;  // option name -> where it was given

  // Files of code that the user names: plugins, and the step of --torch.
  std::vector<std::string> code_files() const;
  // Where option `name` was given, "--name" where it was not.
  std::string where(const std::string& name) const;
};

// A sweep that names neither an axis (but workload, preset and dtype), nor a grid, nor its own programs:
// every batch in three launches, and a second grid whose question is how many warmups a capture needs.
RawOptions with_default_plan(RawOptions given, const model::AxisTable& axes = model::axes());

// Throws InputError for the first value that is wrong. With --shard, {shard} in any value is "3-of-8".
SweepOptions check_options(const RawOptions& given, const model::AxisTable& axes = model::axes());

}  // namespace graphbench::config
