// Reads history entries as a comparison reads its documents, and searches the latest entries for a baseline.
#include "harness/judge/history/baseline.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>

#include "graphs/base/text.hpp"
#include "harness/judge/compare/facts.hpp"
#include "harness/model/codec/parse_document.hpp"
#include "harness/model/metrics.hpp"

namespace graphbench::judge {
namespace {

constexpr std::size_t commit_digits_min = 7;
constexpr std::size_t tries_max = 50;

bool is_called(const HistoryEntry& entry, const std::string& name) {
  const HistoryLabel& label = entry.label;
  return label.branch == name || label.label == name ||
         (name.size() >= commit_digits_min && label.commit.starts_with(name));
}

// True if the entry is NEW itself, which the user added to the history before the comparison.
bool is_itself(const HistoryEntry& entry, const Side& now) {
  return entry.started_at == now.facts.started_at && entry.plan_hash == plan_key(now.facts) &&
         entry.fingerprint == now.facts.field("fingerprint");
}

std::string known_names(const std::vector<HistoryEntry>& entries) {
  std::set<std::string> names;
  for (const HistoryEntry& entry : entries) {
    if (!entry.label.branch.empty()) names.insert(entry.label.branch);
    if (!entry.label.label.empty()) names.insert(entry.label.label);
  }
  if (names.empty())
    return "give a commit, because the " + std::to_string(entries.size()) +
           " entries have neither branch nor label";
  return "give one of " + join(names);
}

Side entry_side_of(Store& store, const HistoryEntry& entry, const std::string& name) {
  const std::string source = "history entry " + std::to_string(entry.id) + " (" + name + ")";
  return merge(source, {model::parse_copy(store.document(entry.id), source)});
}

// Returns the seconds since 1970 of a UTC time of RFC 3339 that exists. The order of these texts is the order
// of the times.
std::optional<double> instant_of(std::string_view text) {
  constexpr std::string_view form = "0000-00-00T00:00:00";
  if (text.size() <= form.size() || text.back() != 'Z') return std::nullopt;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] == '0' ? !is_digit(text[i]) : text[i] != form[i]) return std::nullopt;
  }
  const std::string_view part = text.substr(form.size(), text.size() - form.size() - 1);
  if (!part.empty() && (part.size() == 1 || part[0] != '.' || !std::ranges::all_of(part.substr(1), is_digit)))
    return std::nullopt;
  const auto number = [&](std::size_t at, std::size_t digits) {
    return to_number<unsigned>(text.substr(at, digits)).value();
  };
  const std::chrono::year_month_day day(std::chrono::year(static_cast<int>(number(0, 4))),
                                        std::chrono::month(number(5, 2)), std::chrono::day(number(8, 2)));
  const unsigned hours = number(11, 2), minutes = number(14, 2), seconds = number(17, 2);
  if (!day.ok() || hours > 23 || minutes > 59 || seconds > 59) return std::nullopt;
  const auto days = static_cast<double>(std::chrono::sys_days(day).time_since_epoch().count());
  return days * 86400 + hours * 3600 + minutes * 60 + seconds;
}

double time_of(const std::string& path, const char* key, const std::string& text) {
  const std::optional<double> time = instant_of(text);
  if (!time)
    throw InputError(path, std::string(key) + ": " + in_quotes(head_of(text, 60)) +
                               " is not a UTC time: write, e.g., 2026-01-31T23:59:59Z");
  return *time;
}

void check_dates(const std::string& path, const model::DocumentFacts& facts, const DateRule& rule) {
  constexpr double day_seconds = 86400;
  if (facts.started_at.empty())
    throw InputError(path, "the document has no \"started_at\", which orders the history: measure again");
  const double started = time_of(path, "started_at", facts.started_at);
  const double finished =
      facts.finished_at.empty() ? started : time_of(path, "finished_at", facts.finished_at);
  if (rule.any) return;
  constexpr const char* remedy = ": set the clock of the machine and measure again, or give --allow-date";
  if (started > rule.now_seconds + day_seconds)
    throw InputError(path, "started_at: " + facts.started_at + " is later than tomorrow" + remedy);
  if (finished < started)
    throw InputError(
        path, "finished_at: " + facts.finished_at + " is before started_at, " + facts.started_at + remedy);
}

}  // namespace

std::vector<HistoryEntry> entries_called(Store& store, const std::string& name) {
  const std::vector<HistoryEntry> all = store.list();
  std::vector<HistoryEntry> called;
  std::ranges::copy_if(all, std::back_inserter(called),
                       [&](const HistoryEntry& entry) { return is_called(entry, name); });
  if (!called.empty()) return called;
  throw InputError("--against",
                   "no entry of the history has the name " + in_quotes(name) + ": " + known_names(all));
}

Side find_baseline(Store& store, const BaselineRequest& request, const Side& now) {
  std::vector<HistoryEntry> called = entries_called(store, request.name);
  std::erase_if(called, [&](const HistoryEntry& entry) { return is_itself(entry, now); });
  if (called.empty()) {
    throw InputError("--against", "only NEW, " + in_quotes(request.new_path) + ", has the name " +
                                      in_quotes(request.name) +
                                      " in the history: give the name of an earlier entry");
  }
  const std::size_t named = called.size();
  std::erase_if(called, [](const HistoryEntry& entry) { return !entry.complete; });
  std::reverse(called.begin(), called.end());
  // Entries with NEW's environment and plan come first, then the others; both parts from latest to oldest.
  const auto is_same = [&](const HistoryEntry& entry) {
    return entry.fingerprint == now.facts.field("fingerprint") && entry.plan_hash == plan_key(now.facts);
  };
  std::stable_partition(called.begin(), called.end(), is_same);
  std::string differs = "all of them are interrupted sweeps";
  for (std::size_t i = 0; i < std::min(called.size(), tries_max); ++i) {
    Side side = entry_side_of(store, called[i], request.name);
    const auto differences = differences_of(side.facts, now.facts, request.allow);
    if (comparable(differences)) return side;
    if (i > 0) continue;
    differs = "the latest, entry " + std::to_string(called[i].id) + ", differs in " +
              join(fields_in_the_way(differences));
  }
  throw InputError("--against", std::to_string(named) + " of " + std::to_string(store.list().size()) +
                                    " entries have the name " + in_quotes(request.name) +
                                    ", but none is comparable with " + in_quotes(request.new_path) + ": " +
                                    differs);
}

std::vector<LaunchMedians> medians_of(const model::Document& document) {
  std::vector<LaunchMedians> medians;
  for (const model::DocumentCell& cell : document.cells) {
    if (cell.state != model::CellStatus::ok) continue;
    for (const model::Metric metric : model::all_metrics()) {
      if (model::row_of(metric).kind != model::MetricKind::time) continue;
      LaunchMedians each{cell.id, metric, {}};
      for (const model::LaunchTimes& launch : cell.launches) {
        if (const double seconds = launch[metric]; seconds > 0) each.seconds.push_back(seconds);
      }
      if (!each.seconds.empty()) medians.push_back(std::move(each));
    }
  }
  return medians;
}

std::string plan_key(const model::DocumentFacts& facts) {
  return facts.field("plan") + " method " + facts.field("method");
}

NewEntry read_entry(const std::string& path, const HistoryLabel& label, const DateRule& rule) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw InputError(path, "the path is a folder: give the files in the folder");
  NewEntry entry;
  const model::PaddedText text = model::read_text(path);
  const model::Document document = model::parse_document(text.view(), path);
  entry.document = text.view();
  const model::DocumentFacts& facts = document.facts;
  check_dates(path, facts, rule);
  entry.medians = medians_of(document);
  entry.entry.label = label;
  entry.entry.started_at = facts.started_at;
  entry.entry.fingerprint = facts.field("fingerprint");
  entry.entry.plan_hash = plan_key(facts);
  entry.entry.device = facts.field("device.name");
  entry.entry.tool_version = facts.field("tool.version");
  entry.entry.complete = facts.complete;
  for (const model::DocumentCell& cell : document.cells) {
    if (cell.state != model::CellStatus::ok) continue;
    ++entry.entry.cells;
    entry.entry.launches = std::max(entry.entry.launches, static_cast<std::int64_t>(cell.launches.size()));
  }
  return entry;
}

}  // namespace graphbench::judge
