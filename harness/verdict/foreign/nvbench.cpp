// nvbench's JSON, version 1 of its format: a state of a benchmark becomes a cell of one launch.
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "harness/model/input_error.hpp"
#include "harness/verdict/compare/facts.hpp"
#include "harness/verdict/foreign/foreign_documents.hpp"

namespace graphbench::compare {
namespace {

using Value = codec::JsonWalk::Value;

// Means, because every version of nvbench writes them: a median on one side alone would not compare.
constexpr std::string_view gpu_time_tag = "nv/cold/time/gpu/mean";
constexpr std::string_view cpu_time_tag = "nv/cold/time/cpu/mean";
constexpr std::string_view cpu_only_time_tag = "nv/cpu_only/time/cpu/mean";

struct GpuFacts {
  std::string name;
  std::string compute_capability;
  std::string memory_bytes;
};

struct State {
  std::string benchmark;
  std::string name;
  std::int64_t device = -1;  // absent for benchmarks that run on the CPU alone
  bool skipped = false;
  std::string skip_reason;
  LaunchTimes times;
};

class NvbenchReader {
 public:
  explicit NvbenchReader(const std::string& source) : walk_(source) {
    document_.source = source;
    document_.facts.fields["tool.name"] = "nvbench";
  }

  Document read(std::string_view text) {
    walk_.padded_document(text, [&](std::string_view key, Value value) {
      if (key == "meta") return read_meta(value);
      if (key == "devices") return read_devices(value);
      if (key == "benchmarks") return read_benchmarks(value);
      walk_.skip(value);
    });
    set_device_facts();
    for (const State& state : states_) add_cell(state);
    check_cells(walk_, document_);
    return std::move(document_);
  }

 private:
  void read_meta(Value value) {
    walk_.each_field(value, [&](std::string_view key, Value field) {
      if (key != "version") return walk_.skip(field);
      walk_.each_field(field, [&](std::string_view part, Value version) {
        if (part == "json") return check_version(version);
        if (part == "nvbench") return read_tool(version);
        walk_.skip(version);
      });
    });
  }

  void check_version(Value value) {
    walk_.each_field(value, [&](std::string_view key, Value field) {
      if (key != "major") return walk_.skip(field);
      const std::int64_t major = walk_.count(field);
      if (major != 1)
        walk_.fail(std::to_string(major) + " is another version of nvbench's JSON than 1, which is read");
    });
  }

  void read_tool(Value value) {
    DocumentFacts& facts = document_.facts;
    walk_.each_field(value, [&](std::string_view key, Value field) {
      if (key == "string") {
        facts.tool_version = facts.fields["tool.version"] = walk_.text_or_empty(field);
      } else if (key == "git_sha") {
        facts.tool_commit = facts.fields["tool.commit"] = walk_.text_or_empty(field).substr(0, 12);
      } else {
        walk_.skip(field);
      }
    });
  }

  void read_devices(Value value) {
    if (walk_.is_null(value)) return;  // what nvbench writes where there is no GPU
    walk_.each_element(value, [&](Value device) {
      std::int64_t id = -1;
      GpuFacts facts;
      walk_.each_field(device, [&](std::string_view key, Value field) {
        if (key == "id") {
          id = walk_.count(field);
        } else if (key == "name") {
          facts.name = walk_.text(field);
        } else if (key == "sm_version") {  // 900 for 9.0
          const std::int64_t version = walk_.count(field);
          facts.compute_capability = std::to_string(version / 100) + "." + std::to_string(version % 100 / 10);
        } else if (key == "global_memory_size") {
          facts.memory_bytes = walk_.fact(field);
        } else {
          walk_.skip(field);
        }
      });
      if (id < 0) walk_.fail("the device has no \"id\"");
      gpus_[id] = std::move(facts);
    });
  }

  void read_benchmarks(Value value) {
    if (walk_.is_null(value)) return;
    walk_.each_element(value, [&](Value benchmark) {
      std::string name;
      const std::size_t first = states_.size();
      walk_.each_field(benchmark, [&](std::string_view key, Value field) {
        if (key == "name") {
          name = walk_.text(field);
        } else if (key == "states") {
          if (walk_.is_null(field)) return;  // a filter left none
          walk_.each_element(field, [&](Value state) { states_.push_back(read_state(state)); });
        } else {
          walk_.skip(field);
        }
      });
      if (name.empty()) walk_.fail("the benchmark has no \"name\"");
      for (std::size_t i = first; i < states_.size(); ++i) states_[i].benchmark = name;
    });
  }

  State read_state(Value value) {
    State state;
    bool has_name = false;
    walk_.each_field(value, [&](std::string_view key, Value field) {
      if (key == "name") {
        state.name = walk_.text(field);
        has_name = true;
      } else if (key == "device") {
        if (!walk_.is_null(field)) state.device = walk_.count(field);
      } else if (key == "is_skipped") {
        state.skipped = walk_.truth(field);
      } else if (key == "skip_reason") {
        state.skip_reason = walk_.text_or_empty(field);
      } else if (key == "summaries") {
        read_summaries(field, state);
      } else {
        walk_.skip(field);
      }
    });
    if (!has_name) {
      walk_.fail("the state has no \"name\": is it older than version 1 of nvbench's JSON, which is read?");
    }
    return state;
  }

  void read_summaries(Value value, State& state) {
    if (walk_.is_null(value)) return;
    walk_.each_element(value, [&](Value summary) {
      std::string tag;
      double seconds = 0;
      walk_.each_field(summary, [&](std::string_view key, Value field) {
        if (key == "tag") {
          tag = walk_.text(field);
        } else if (key == "data") {
          seconds = read_data(field, is_time(tag));
        } else {
          walk_.skip(field);
        }
      });
      if (!is_time(tag)) return;
      if (!(seconds > 0)) walk_.fail(in_quotes(tag) + " has no value above 0 behind its tag");
      double& time = state.times[tag == gpu_time_tag ? model::Metric::device : model::Metric::latency];
      if (time > 0) walk_.fail(in_quotes(tag) + " is there twice, or beside its like");
      time = seconds;
    });
  }

  static bool is_time(std::string_view tag) {
    return tag == gpu_time_tag || tag == cpu_time_tag || tag == cpu_only_time_tag;
  }

  // "value" of a list of {name, type, value}; 0 where it is not wanted or not there.
  double read_data(Value value, bool wanted) {
    double result = 0;
    if (!wanted) {
      walk_.skip(value);
      return result;
    }
    walk_.each_element(value, [&](Value datum) {
      std::string name;
      walk_.each_field(datum, [&](std::string_view key, Value field) {
        if (key == "name") {
          name = walk_.text(field);
        } else if (key == "value" && name == "value") {
          result = read_number(field);
        } else {
          walk_.skip(field);
        }
      });
    });
    return result;
  }

  // nvbench writes numbers as strings, so that no reader rounds them; null where there is none.
  double read_number(Value value) {
    if (walk_.is_null(value)) return 0;
    const std::string text = walk_.fact(value);
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number) || number <= 0) {
      walk_.fail(in_quotes(text.substr(0, 60)) + " is not a time above 0");
    }
    if (!codec::JsonWalk::can_be_median(number)) {
      walk_.fail(in_quotes(text.substr(0, 60)) + " is not a time between a femtosecond and 30 years");
    }
    return number;
  }

  // A state's name begins with its device. Where all states ran on one device, its number is left out of the
  // id: the slot of a GPU does not matter.
  std::string id_of(const State& state) const {
    std::string name = state.name;
    const std::string device = "Device=" + std::to_string(state.device);
    if (one_device_ && (name == device || name.starts_with(device + " "))) {
      name.erase(0, std::min(name.size(), device.size() + 1));
    }
    return name.empty() ? state.benchmark : state.benchmark + "/" + name;
  }

  void add_cell(const State& state) {
    DocumentCell cell;
    cell.id = id_of(state);
    if (state.skipped) {
      cell.state = CellState::skipped;
      cell.reason = "skipped: " + state.skip_reason;
    } else if (state.times[model::Metric::device] > 0 || state.times[model::Metric::latency] > 0) {
      cell.launches.push_back(state.times);
    } else {
      cell.state = CellState::skipped;
      cell.reason = "not_timed: it holds neither " + std::string(gpu_time_tag) + " nor " +
                    std::string(cpu_only_time_tag);
    }
    document_.cells.push_back(std::move(cell));
  }

  // From the devices that states ran on, each named once.
  void set_device_facts() {
    std::map<std::string, std::string>& fields = document_.facts.fields;
    std::set<std::string> names;
    std::set<std::int64_t> ids;
    for (const State& state : states_) {
      if (state.device >= 0) ids.insert(state.device);  // the CPU is no other GPU
      const auto gpu = gpus_.find(state.device);
      if (state.device >= 0 && gpu == gpus_.end()) {
        walk_.fail("\"devices\" does not list device " + std::to_string(state.device) +
                   ", which a state ran on");
      }
      if (state.device < 0 || !names.insert(gpu->second.name).second) continue;
      const auto append = [&](const char* field, const std::string& value) {
        fields[field] += fields[field].empty() ? value : " + " + value;
      };
      append("device.name", gpu->second.name);
      append("device.compute_capability", gpu->second.compute_capability);
      append("device.memory_bytes", gpu->second.memory_bytes);
    }
    one_device_ = ids.size() == 1;
    fields["device.kind"] = names.empty() ? "host" : "cuda";
  }

  codec::JsonWalk walk_;
  Document document_;
  std::map<std::int64_t, GpuFacts> gpus_;
  std::vector<State> states_;
  bool one_device_ = false;
};

}  // namespace

Document parse_nvbench(std::string_view text, const std::string& source) {
  return NvbenchReader(source).read(text);
}

}  // namespace graphbench::compare
