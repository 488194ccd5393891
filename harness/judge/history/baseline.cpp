// Finds a baseline: searches backwards from the latest entry. harness/judge/compare decides what is
// comparable.
#include "harness/judge/history/baseline.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "graphs/base/text.hpp"
#include "harness/judge/compare/facts.hpp"
#include "harness/judge/history/read_entry.hpp"

namespace graphbench::history {
namespace {

constexpr std::size_t commit_digits_min = 7;
// The search gives up after so many entries.
constexpr std::size_t tries_max = 50;

bool is_called(const model::HistoryEntry& entry, const std::string& name) {
  const model::HistoryLabel& label = entry.label;
  return label.branch == name || label.label == name ||
         (name.size() >= commit_digits_min && label.commit.starts_with(name));
}

// An entry started when NEW did and on the same plan is NEW itself, kept before it was compared.
bool is_itself(const model::HistoryEntry& entry, const compare::Side& now) {
  return entry.started_at == now.facts.started_at && entry.plan_hash == plan_key(now.facts) &&
         entry.fingerprint == now.facts.field("fingerprint");
}

std::string known_names(const std::vector<model::HistoryEntry>& entries) {
  std::set<std::string> names;
  for (const model::HistoryEntry& entry : entries) {
    if (!entry.label.branch.empty()) names.insert(entry.label.branch);
    if (!entry.label.label.empty()) names.insert(entry.label.label);
  }
  if (names.empty()) return "its " + std::to_string(entries.size()) + " entries have no branch and no label";
  return "it has " + join(names);
}

compare::Side side_of(Store& store, const model::HistoryEntry& entry, const std::string& name) {
  const std::string source = "history entry " + std::to_string(entry.id) + " (" + name + ")";
  return compare::merge(source, {codec::parse_copy(store.document(entry.id), source)});
}

}  // namespace

std::vector<model::HistoryEntry> entries_called(Store& store, const std::string& name) {
  const std::vector<model::HistoryEntry> all = store.list();
  std::vector<model::HistoryEntry> called;
  std::ranges::copy_if(all, std::back_inserter(called),
                       [&](const model::HistoryEntry& entry) { return is_called(entry, name); });
  if (!called.empty()) return called;
  throw InputError("--against",
                   "nothing in the history is called " + in_quotes(name) + ": " + known_names(all));
}

compare::Side find_baseline(Store& store, const BaselineRequest& request, const compare::Side& now) {
  std::vector<model::HistoryEntry> called = entries_called(store, request.name);
  std::erase_if(called, [&](const model::HistoryEntry& entry) { return is_itself(entry, now); });
  if (called.empty()) {
    throw InputError("--against", "only " + in_quotes(request.new_path) + " itself is called " +
                                      in_quotes(request.name) +
                                      " in the history: nothing is there before it");
  }
  const std::size_t named = called.size();
  std::erase_if(called, [](const model::HistoryEntry& entry) { return !entry.complete; });
  std::reverse(called.begin(), called.end());
  // Entries of the same environment and plan come before comparable ones, each latest first.
  const auto is_same = [&](const model::HistoryEntry& entry) {
    return entry.fingerprint == now.facts.field("fingerprint") && entry.plan_hash == plan_key(now.facts);
  };
  std::stable_partition(called.begin(), called.end(), is_same);
  std::string differs = "they were interrupted";
  for (std::size_t i = 0; i < std::min(called.size(), tries_max); ++i) {
    compare::Side side = side_of(store, called[i], request.name);
    const auto differences = compare::differences_of(side.facts, now.facts, request.allow);
    if (compare::comparable(differences)) return side;
    if (i > 0) continue;
    std::vector<std::string> fields;
    for (const model::Difference& each : differences) {
      if (each.blocking && !each.allowed) fields.push_back(each.field);
    }
    differs = "the latest, entry " + std::to_string(called[i].id) + ", differs in " + join(fields);
  }
  throw InputError("--against", std::to_string(named) + " of " + std::to_string(store.list().size()) +
                                    " entries are called " + in_quotes(request.name) +
                                    ", but none compares with " + in_quotes(request.new_path) + ": " +
                                    differs);
}

}  // namespace graphbench::history
