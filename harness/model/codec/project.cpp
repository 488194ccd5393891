// Copies from a result the parts that a comparison needs. A fact's name is its path in the document without
// "environment.". The exceptions are "plan", which is the plan's hash, and "method", which is plan.method.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "graphs/base/text.hpp"
#include "harness/model/codec/check_cell.hpp"
#include "harness/model/codec/document.hpp"
#include "harness/model/codec/result_fields.hpp"
#include "harness/model/metrics.hpp"
#include "harness/model/statistics/metric_values.hpp"

namespace graphbench::model {
namespace {

bool is_fact(std::string_view name) {
  return contains(fact_names, name) || name.starts_with(library_prefix) || name.starts_with(variable_prefix);
}

std::string plan_fact(std::string_view key) {
  if (key == "hash") return "plan";
  return (key == "method" ? "" : "plan.") + std::string(key);
}

// Returns "" for an unknown value, which is null or 0 (a seed of 0 is known).
std::string fact_text(std::string_view name, const Json& value) {
  if (value.is_null() || (value == 0 && name != "plan.seed")) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void add_fact(const std::string& name, const Json& value, DocumentFacts& facts) {
  if (std::string text = fact_text(name, value); !text.empty()) facts.fields[name] = std::move(text);
}

void add_choice(const LibraryChoice& choice, DocumentFacts& facts) {
  std::string& algorithms = facts.fields[std::string(choice_prefix) + choice.key];
  algorithms += (algorithms.empty() ? "" : "+") + choice.algorithm;
}

void add_facts(const Json& object, const std::string& prefix, DocumentFacts& facts) {
  for (const auto& [key, value] : object.items()) {
    const std::string name = prefix + key;
    if (is_fact(name)) {
      add_fact(name, value, facts);
    } else if (value.is_object()) {
      add_facts(value, name + ".", facts);
    }
  }
}

// A merge with --allow holds shards of several devices: a fact of the device is all of theirs, "A+B".
void join_devices(const Result& head, const JsonWriter& writer, DocumentFacts& facts) {
  std::map<std::string, std::set<std::string>> seen;
  for (const MergedShard& shard : head.shards) {
    DocumentFacts part;
    add_facts(writer.write(shard.environment), "", part);
    for (const auto& [name, value] : part.fields)
      if (name.starts_with("device.") && name != "device.uuid") seen[name].insert(value);
  }
  for (const auto& [name, values] : seen) facts.fields[name] = join(values, "+");
}

// Adds the readings of one launch to `clocks`. Returns the reasons for throttling around the launch.
std::set<std::string> add_clocks(const LaunchMachine& machine, DeviceClocks& clocks) {
  if (machine.cpu_slowdown) {
    ++clocks.pinned;
    if (*machine.cpu_slowdown > LaunchMachine::shared_core_slowdown) ++clocks.shared;
  }
  std::set<std::string> reasons;
  for (const auto& reading : {machine.before, machine.after}) {
    if (!reading) continue;
    if (reading->sm_clock_hz && *reading->sm_clock_hz > 0)
      clocks.sm_clocks_hz.push_back(*reading->sm_clock_hz);
    reasons.insert(reading->throttle.begin(), reading->throttle.end());
  }
  if (!machine.before && !machine.after) return reasons;
  ++clocks.launches;
  for (const std::string& reason : reasons) ++clocks.throttled[reason];
  return reasons;
}

LaunchTimes times_of(const Launch& launch) {
  LaunchTimes times;
  times.index = launch.index;
  for (const Metric metric : all_metrics()) {
    const std::optional<double> value = value_of(row_of(metric), launch);
    if (value && can_be_median(*value)) times[metric] = *value;
  }
  return times;
}

std::string paths_text(const std::vector<OpPath>& paths) {
  std::set<std::string> each;
  for (const OpPath& path : paths) each.insert(path.path + " x" + std::to_string(path.ops));
  return join(each);
}

std::string reasons_text(const std::set<std::string>& reasons) {
  std::string text;
  for (const std::string& reason : reasons) text += (text.empty() ? "" : "+") + reason;
  return text;
}

}  // namespace

DocumentCell fold(std::string id, const CellResult& cell, DeviceClocks& clocks) {
  DocumentCell made;
  made.id = std::move(id);
  made.state = cell.status == CellStatus::pending ? CellStatus::skipped : cell.status;
  if (cell.status != CellStatus::ok) {
    const auto& [code, message] = written_reason_of(cell);
    made.reason = code + (code.empty() || message.empty() ? "" : ": ") + message;
  }
  for (const MetricRow* row : counted_metrics()) {
    const std::optional<std::int64_t> number = count_of(row->value, cell);
    if (!number) continue;
    const bool exact = row->resolution.of_cell == nullptr;
    made.counts[std::string(row->counted)] = {*number, exact ? 0 : count_of(row->resolution, cell)};
  }
  made.paths = paths_text(cell.paths);
  std::set<std::string> reasons;
  made.launches.reserve(cell.launches.size());
  for (const Launch& launch : cell.launches) {
    made.launches.push_back(times_of(launch));
    if (launch.machine) reasons.merge(add_clocks(*launch.machine, clocks));
  }
  made.throttled = reasons_text(reasons);
  return made;
}

DocumentFacts facts_of(const Result& head) {
  const JsonWriter writer(Form::document);
  DocumentFacts facts;
  add_facts({{"version", head.tool_version}, {"commit", head.tool_commit}}, "tool.", facts);
  add_facts(writer.write(head.environment), "", facts);
  join_devices(head, writer, facts);
  for (const LibraryChoice& choice : head.environment.library_choices) add_choice(choice, facts);
  const Json plan = writer.write(head.plan);
  for (const auto& [key, value] : plan.items()) {
    const std::string name = plan_fact(key);
    if (is_fact(name)) add_fact(name, value, facts);
  }
  facts.tool_version = head.tool_version;
  facts.tool_commit = head.tool_commit;
  facts.started_at = head.started_at;
  facts.finished_at = head.finished_at;
  facts.complete = head.complete;
  if (head.environment.machine && head.environment.machine->load_average)
    facts.loads.push_back(*head.environment.machine->load_average);
  if (head.plan.interleaved) {
    facts.interleaved = head.plan.interleaved->id;
    facts.looks = head.plan.interleaved->looks;
  }
  return facts;
}

Document project(const Result& result, const std::string& source) {
  Document document;
  document.source = source;
  document.facts = facts_of(result);
  for (const CellResult& cell : result.cells)
    document.cells.push_back(fold(id_of(cell.cell), cell, document.facts.clocks));
  return document;
}

}  // namespace graphbench::model
