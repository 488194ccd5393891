// The options of a sweep: first raw values, each with the place where the user wrote it, then checked values.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/model/axes.hpp"
#include "harness/model/plan.hpp"

namespace graphbench::options {

struct ShardOption {
  std::int64_t index = 1;  // from 1 to count
  std::int64_t count = 1;
  bool replica = false;  // --shard-by replica: each shard runs the whole plan
  std::string costs;     // --costs: path of a document; empty: none
  std::string said;      // the scheduler's variables that `auto` read: "SLURM_PROCID=3"; else empty
};

inline constexpr std::int64_t shards_max = 100'000;

// Looks up an environment variable. Returns null if the variable is not set.
using Variables = std::function<const char*(const char* name)>;

// `text` is "3/8", or "auto" to read the scheduler's variables. Throws InputError(where, ...).
ShardOption read_shard(const std::string& where, const std::string& text, const Variables& variables);

// One value as the user wrote it. Its error messages begin with `where`: "--batch" or "sweep.toml:3: batch".
struct RawItem {
  std::string text;
  std::string where;
};

// The raw values by option name. A list option may have several items, and an item may contain commas.
using RawOptions = std::map<std::string, std::vector<RawItem>>;

// Returns the file's options, where each flag replaces the file's value. Values of `set` are merged by key.
RawOptions merge(RawOptions file, const RawOptions& flags);

struct SetOption {
  std::string workload;
  std::string key;
  std::int64_t value = 0;
  std::string word;  // a named value, in place of `value`
  std::string where;
  bool from_flag = false;  // from the command line, which may name only workloads of the sweep
};

// Paths of a server's PEM files; empty: no TLS. harness/service/publish checks the files.
struct TlsOptions {
  std::string certificate;
  std::string key;
};

// A Python function that builds a PyTorch step. An empty `file` means that none was given.
struct TorchStep {
  std::string file;  // an absolute path
  std::string function;
  std::string python;  // the interpreter's path

  bool given() const { return !file.empty(); }
  std::string name() const { return file + ":" + function; }
};

// How results reach Prometheus. A way with an empty text is not used. harness/service/publish checks these.
struct PrometheusOptions {
  std::string listen;
  bool allow_remote = false;
  TlsOptions tls;
  double linger_seconds = 0;
  std::string textfile;
  std::string push;
  std::vector<std::string> grouping;  // KEY=VALUE
  bool push_delete = false;
  std::string baseline;  // path of the result to compare with; empty: none
  std::string against;   // or the baseline's name in the history: a branch, label or commit; empty: none
  std::string history;   // the history's file; empty: the default file
};

// What reaches a worker is in the base.
struct SweepOptions : model::Settings {
  model::Axes axes;  // an axis without values: all built-in workloads, or the device's default
  std::vector<model::Axes> more_grids;
  std::string device = "auto";
  std::int64_t launches = 3;
  std::string json = "graphbench.json";  // the default for a shard: "graphbench.I-of-N.json"
  std::optional<ShardOption> shard;
  std::string samples;
  std::string report;
  std::vector<SetOption> set;
  double worker_timeout_seconds = 120;
  std::string cache;  // a folder or "off"; empty: the environment decides
  TorchStep torch;
  std::string trace;  // path of the Chrome trace; empty: none
  PrometheusOptions prometheus;
  bool quiet = false;
  bool dump_program = false;
  bool dry_run = false;
  bool requested = false;  // by a client of the service: an option without effect is a note
  // The modes that a command measures in addition to those of the plan: `bill --mode both`.
  std::vector<std::string> more_modes;
  std::map<std::string, std::string> places;  // option name -> where it was given; not a flag that is false

  std::vector<std::string> code_files() const;
  // Returns the place where the user gave option `name`, or "--name" if it was not given.
  std::string where(const std::string& name) const;
};

// Adds the default plan's second grid, which shows how many warmups a capture needs. Adds nothing if an
// option names an axis (other than workload, preset, dtype), a grid or other programs (--torch, --package,
// --shape-trace).
RawOptions with_default_plan(RawOptions given, const model::AxisTable& axes = model::axes());

// Throws InputError for the first invalid value. With --shard 3/8, "{shard}" in any value becomes "3-of-8".
SweepOptions check_options(const RawOptions& given, const model::AxisTable& axes = model::axes());

}  // namespace graphbench::options
