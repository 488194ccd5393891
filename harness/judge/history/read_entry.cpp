// Reads entries with the reader of comparisons, so that what is stored can be compared.
#include "harness/judge/history/read_entry.hpp"

#include <algorithm>
#include <filesystem>

#include "graphs/base/text.hpp"
#include "harness/model/codec/document_file.hpp"
#include "harness/model/codec/parse_document.hpp"
#include "harness/model/metrics.hpp"

namespace graphbench::history {
namespace {

// True of RFC 3339 in UTC, which the schema requires, because only such texts have the order of their times.
bool is_instant(std::string_view text) {
  constexpr std::string_view form = "0000-00-00T00:00:00";
  if (text.size() <= form.size() || text.back() != 'Z') return false;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] == '0' ? !is_digit(text[i]) : text[i] != form[i]) return false;
  }
  text = text.substr(form.size(), text.size() - form.size() - 1);
  return text.empty() || (text.size() > 1 && text[0] == '.' && std::ranges::all_of(text.substr(1), is_digit));
}

}  // namespace

std::vector<LaunchMedians> medians_of(const codec::Document& document) {
  std::vector<LaunchMedians> medians;
  for (const codec::DocumentCell& cell : document.cells) {
    if (cell.state != codec::CellState::ok) continue;
    for (const model::Metric metric : model::all_metrics()) {
      if (model::row_of(metric).kind != model::MetricKind::time) continue;
      LaunchMedians each{cell.id, metric, {}};
      for (const codec::LaunchTimes& launch : cell.launches) {
        if (const double seconds = launch[metric]; seconds > 0) each.seconds.push_back(seconds);
      }
      if (!each.seconds.empty()) medians.push_back(std::move(each));
    }
  }
  return medians;
}

std::string plan_key(const codec::DocumentFacts& facts) {
  return facts.field("plan") + " method " + facts.field("method");
}

NewEntry read_entry(const std::string& path, const model::HistoryLabel& label) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw InputError(path, "it is a folder: give the files in it");
  NewEntry entry;
  const codec::PaddedText text = codec::read_text(path);
  const codec::Document document = codec::parse_document(text.view(), path);
  entry.document = text.view();
  const codec::DocumentFacts& facts = document.facts;
  if (facts.started_at.empty())
    throw InputError(path, "it has no \"started_at\": a history is ordered by it");
  if (!is_instant(facts.started_at)) {
    throw InputError(path, "started_at: " + in_quotes(head_of(facts.started_at, 60)) +
                               " cannot be put in order: write it as 2026-01-31T23:59:59Z, in UTC");
  }
  entry.medians = medians_of(document);
  entry.entry.label = label;
  entry.entry.started_at = facts.started_at;
  entry.entry.fingerprint = facts.field("fingerprint");
  entry.entry.plan_hash = plan_key(facts);
  entry.entry.device = facts.field("device.name");
  entry.entry.tool_version = facts.field("tool.version");
  entry.entry.complete = facts.complete;
  for (const codec::DocumentCell& cell : document.cells) {
    if (cell.state != codec::CellState::ok) continue;
    ++entry.entry.cells;
    entry.entry.launches = std::max(entry.entry.launches, static_cast<std::int64_t>(cell.launches.size()));
  }
  return entry;
}

}  // namespace graphbench::history
