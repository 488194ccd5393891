// A fact has the name of its place in the document, without "environment.", and the plan's hash is "plan":
// read from a document, or taken from a result in memory.
#include "harness/codec/project.hpp"

#include <algorithm>
#include <set>

#include "harness/codec/document_reader.hpp"
#include "harness/codec/result_fields.hpp"
#include "harness/model/metrics.hpp"
#include "harness/statistics/metric_values.hpp"

namespace graphbench::codec {
namespace {

// What harness/verdict/compare/facts.cpp compares, apart from prefixes (document.hpp).
constexpr std::string_view names[] = {"tool.version",
                                      "tool.commit",
                                      "hostname",
                                      "os",
                                      "cpu",
                                      "cores",
                                      "fingerprint",
                                      "device.kind",
                                      "device.name",
                                      "device.uuid",
                                      "device.compute_capability",
                                      "device.memory_bytes",
                                      "device.driver",
                                      "device.runtime",
                                      "machine.governor",
                                      "machine.turbo",
                                      "machine.pinned",
                                      "plan",
                                      "method",
                                      "plan.seed",
                                      "plan.launches",
                                      "plan.cell_processes",
                                      "plan.concurrent"};

bool is_fact(std::string_view name) {
  return std::ranges::find(names, name) != std::end(names) || name.starts_with(library_prefix) ||
         name.starts_with(variable_prefix);
}

std::string plan_fact(std::string_view key) {
  if (key == "hash") return "plan";
  return (key == "method" ? "" : "plan.") + std::string(key);
}

// Objects of which a document that has them must make objects.
bool must_be_object(std::string_view name) {
  return name == "device" || name == "device.libraries";
}

std::string text_of(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void add_choice(const model::LibraryChoice& choice, DocumentFacts& facts) {
  std::string& algorithms = facts.fields[std::string(choice_prefix) + choice.key];
  algorithms += (algorithms.empty() ? "" : "+") + choice.algorithm;
}

void add_facts(const Json& object, const std::string& prefix, DocumentFacts& facts) {
  for (const auto& [key, value] : object.items()) {
    const std::string name = prefix + key;
    if (is_fact(name)) {
      if (std::string text = text_of(value); !text.empty()) facts.fields[name] = std::move(text);
    } else if (value.is_object()) {
      add_facts(value, name + ".", facts);
    }
  }
}

// Returns what throttled the device around the launch.
std::set<std::string> add_clocks(const model::LaunchMachine& machine, DeviceClocks& clocks) {
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

CellState state_of(model::CellStatus status) {
  switch (status) {
    case model::CellStatus::ok:
      return CellState::ok;
    case model::CellStatus::failed:
      return CellState::failed;
    case model::CellStatus::pending:
    case model::CellStatus::skipped:
      break;
  }
  return CellState::skipped;
}

LaunchTimes times_of(const model::Launch& launch) {
  LaunchTimes times;
  times.index = launch.index;
  for (const model::Metric metric : model::all_metrics()) {
    const std::optional<double> value = statistics::value_of(model::row_of(metric), launch);
    if (value && JsonWalk::can_be_median(*value)) times[metric] = *value;
  }
  times.add_setup();
  return times;
}

void add_counts(const model::CellResult& cell, DocumentCell& made) {
  const auto& counted = model::counted_metrics();
  for (std::size_t i = 0; i < counted.size(); ++i) {
    model::MetricRow row = *counted[i];
    row.graphs_only = false;  // the document tells them of eager cells too
    if (const auto value = statistics::value_of(row, cell))
      made.counts.at(i) = static_cast<std::int64_t>(*value);
  }
}

}  // namespace

std::string reasons_text(const std::set<std::string>& reasons) {
  std::string text;
  for (const std::string& reason : reasons) text += (text.empty() ? "" : "+") + reason;
  return text;
}

std::string paths_text(const std::vector<model::OpPath>& paths) {
  std::set<std::string> each;
  for (const model::OpPath& path : paths) each.insert(path.path + " x" + std::to_string(path.ops));
  std::string text;
  for (const std::string& path : each) text += (text.empty() ? "" : ", ") + path;
  return text;
}

void FactsReader::read_object(Value value, const std::string& prefix) {
  walk_.fields(value,
               [&](std::string_view key, Value field) { read_member(prefix + std::string(key), field); });
}

void FactsReader::read_member(const std::string& name, Value value) {
  if (is_fact(name)) {
    std::string fact = walk_.fact(value);
    if (!fact.empty()) facts_.fields[name] = std::move(fact);
  } else if (must_be_object(name) || ((name == "machine" || name == "variables") && walk_.is_object(value))) {
    read_object(value, name + ".");
  } else if (name == "library_choices" && walk_.is_object(value)) {
    model::Environment environment;
    LibraryChoices().read(walk_, value, environment);
    for (const model::LibraryChoice& choice : environment.library_choices) add_choice(choice, facts_);
  } else {
    walk_.skip(value);
  }
}

void FactsReader::read_plan(Value value) {
  walk_.fields(value, [&](std::string_view key, Value field) {
    if (key != "interleaved" || !walk_.is_object(field)) return read_member(plan_fact(key), field);
    walk_.fields(field, [&](std::string_view name, Value id) {
      if (name == "looks") return read_looks(id);
      if (name != "id") return walk_.skip(id);
      facts_.interleaved = walk_.text_or_empty(id);
    });
  });
}

void FactsReader::read_looks(Value looks) {
  constexpr std::size_t looks_max = 20;
  walk_.elements(looks, [&](Value look) {
    facts_.looks.push_back(walk_.count(look));
    const std::size_t count = facts_.looks.size();
    if (count > looks_max || facts_.looks.back() <= (count > 1 ? facts_.looks[count - 2] : 0))
      walk_.fail("looks are at most 20 numbers of launches, each larger than the one before");
  });
}

void FactsReader::read_clocks(Value machine, std::set<std::string>& around) {
  DeviceClocks& clocks = facts_.clocks;
  std::set<std::string> reasons;
  bool is_read = false;
  walk_.fields(machine, [&](std::string_view moment, Value reading) {
    if ((moment != "before" && moment != "after") || !walk_.is_object(reading)) return walk_.skip(reading);
    is_read = true;
    walk_.fields(reading, [&](std::string_view key, Value field) {
      if (key == "sm_clock_hz") {
        if (walk_.is_null(field)) return;
        if (const double hz = walk_.number(field); hz > 0) clocks.sm_clocks_hz.push_back(hz);
      } else if (key == "throttle") {
        walk_.elements(field, [&](Value reason) { reasons.insert(walk_.text(reason)); });
      } else {
        walk_.skip(field);
      }
    });
  });
  if (!is_read) return;
  ++clocks.launches;
  for (const std::string& reason : reasons) ++clocks.throttled[reason];
  around.merge(reasons);
}

DocumentFacts facts_of(const model::Result& result) {
  const JsonWriter writer(Form::document);
  DocumentFacts facts;
  add_facts({{"version", result.tool_version}, {"commit", result.tool_commit}}, "tool.", facts);
  add_facts(writer.write(result.environment), "", facts);
  for (const model::LibraryChoice& choice : result.environment.library_choices) add_choice(choice, facts);
  const Json plan = writer.write(result.plan);
  for (const auto& [key, value] : plan.items()) {
    const std::string name = plan_fact(key);
    if (is_fact(name)) facts.fields[name] = text_of(value);
  }
  facts.tool_version = result.tool_version;
  facts.tool_commit = result.tool_commit;
  facts.started_at = result.started_at;
  facts.complete = result.complete;
  if (result.plan.interleaved) {
    facts.interleaved = result.plan.interleaved->id;
    facts.looks = result.plan.interleaved->looks;
  }
  return facts;
}

Document project(const model::Result& result, const std::string& source) {
  LaunchTimes::check_room();
  Document document;
  document.source = source;
  document.facts = facts_of(result);
  for (const model::CellResult& cell : result.cells) {
    DocumentCell& made = document.cells.emplace_back();
    made.id = model::id_of(cell.cell);
    made.state = state_of(cell.status);
    if (cell.status != model::CellStatus::ok) {
      const model::Reason reason = reason_of(cell);
      made.reason = reason.code + ": " + reason.message;
    }
    add_counts(cell, made);
    made.paths = paths_text(cell.paths);
    std::set<std::string> reasons;
    for (const model::Launch& launch : cell.launches) {
      made.launches.push_back(times_of(launch));
      if (launch.machine) reasons.merge(add_clocks(*launch.machine, document.facts.clocks));
    }
    made.throttled = reasons_text(reasons);
  }
  return document;
}

}  // namespace graphbench::codec
