// The reader of comparisons reads these too, so that what was stored can be compared.
#include "harness/history/read_entry.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "harness/compare/parse_document.hpp"
#include "harness/config/input_error.hpp"

namespace graphbench::history {
namespace {

std::string read_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw config::InputError(path, "it is a folder: give the files in it");
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open()) throw config::InputError(path, "it cannot be read: give what --json wrote");
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (file.bad()) throw config::InputError(path, "it cannot be read to its end");
  return text;
}

double time_of(const compare::LaunchTimes& launch, model::Metric metric) {
  switch (metric) {
    case model::Metric::latency:
      return launch.latency;
    case model::Metric::submit:
      return launch.submit;
    case model::Metric::device:
      return launch.device;
    case model::Metric::capture:
      break;
  }
  return launch.capture;
}

std::string field_of(const compare::DocumentFacts& facts, const std::string& name) {
  const auto found = facts.fields.find(name);
  return found == facts.fields.end() ? "" : found->second;
}

}  // namespace

std::vector<LaunchMedians> medians_of(const compare::Document& document) {
  std::vector<LaunchMedians> medians;
  for (const compare::DocumentCell& cell : document.cells) {
    if (cell.state != compare::CellState::ok) continue;
    for (const model::Metric metric : model::all_metrics) {
      LaunchMedians each{cell.id, metric, {}};
      for (const compare::LaunchTimes& launch : cell.launches) {
        if (const double seconds = time_of(launch, metric); seconds > 0) each.seconds.push_back(seconds);
      }
      if (!each.seconds.empty()) medians.push_back(std::move(each));
    }
  }
  return medians;
}

compare::Document parse_stored(const std::string& text, const std::string& source) {
  std::string padded = text;
  padded.append(compare::text_padding, '\0');
  return compare::parse_document(std::string_view(padded).substr(0, text.size()), source);
}

NewEntry read_entry(const std::string& path, const model::HistoryLabel& label) {
  NewEntry entry;
  entry.document = read_file(path);
  const compare::Document document = parse_stored(entry.document, path);
  const compare::DocumentFacts& facts = document.facts;
  if (facts.started_at.empty())
    throw config::InputError(path, "it has no \"started_at\": a history is ordered by it");
  entry.medians = medians_of(document);
  entry.entry.label = label;
  entry.entry.started_at = facts.started_at;
  entry.entry.fingerprint = field_of(facts, "fingerprint");
  entry.entry.plan_hash = field_of(facts, "plan");
  entry.entry.device = field_of(facts, "device.name");
  entry.entry.tool_version = field_of(facts, "tool.version");
  entry.entry.complete = facts.complete;
  for (const compare::DocumentCell& cell : document.cells) {
    if (cell.state != compare::CellState::ok) continue;
    ++entry.entry.cells;
    entry.entry.launches = std::max(entry.entry.launches, static_cast<std::int64_t>(cell.launches.size()));
  }
  return entry;
}

}  // namespace graphbench::history
