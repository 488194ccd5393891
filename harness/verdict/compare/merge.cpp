// Documents of one side: checked against each other, then made one.
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "harness/model/input_error.hpp"
#include "harness/verdict/compare/read_side.hpp"

namespace graphbench::compare {
namespace {

std::string shown(const std::string& value) {
  return value.empty() ? "nothing" : in_quotes(value);
}

// What one side's documents must agree on; the fingerprint sums up the rest.
void check_agreement(const Document& first, const Document& other) {
  for (const char* field : {"tool.name", "device.kind", "device.name", "device.compute_capability",
                            "device.driver", "device.runtime", "fingerprint", "method"}) {
    const auto value = [&](const Document& document) {
      const auto found = document.facts.fields.find(field);
      return found == document.facts.fields.end() ? std::string() : found->second;
    };
    if (value(first) == value(other)) continue;
    throw InputError(other.source, std::string(field) + " is " + shown(value(other)) + ", but " +
                                       shown(value(first)) + " in " + first.source +
                                       ": one side must come from one machine and one software");
  }
}

// Plans may differ between shards, which share no cell, and not between launches of one cell.
void check_plan(const Document& document, const std::string& cell, const Document& earlier) {
  const auto plan = [](const Document& one) {
    const auto found = one.facts.fields.find("plan");
    return found == one.facts.fields.end() ? std::string() : found->second;
  };
  if (plan(document) == plan(earlier)) return;
  throw InputError(document.source, "cell " + in_quotes(cell) + " comes from another plan than in " +
                                        earlier.source + ": launches of a cell must share one plan");
}

// Every fact of the documents, each value once and sorted, so that a folder's facts do not depend on the
// names of its files. Sides made of the same shards agree in their several plans.
DocumentFacts merged_facts(const std::vector<Document>& documents) {
  DocumentFacts merged;
  std::map<std::string, std::set<std::string>> values;
  merged.interleaved = documents.front().facts.interleaved;
  for (const Document& document : documents) {
    const DocumentFacts& facts = document.facts;
    merged.complete = merged.complete && facts.complete;
    if (merged.started_at.empty() || (!facts.started_at.empty() && facts.started_at < merged.started_at)) {
      merged.started_at = facts.started_at;
    }
    const DeviceClocks& clocks = facts.clocks;
    merged.clocks.launches += clocks.launches;
    merged.clocks.sm_clocks_hz.insert(merged.clocks.sm_clocks_hz.end(), clocks.sm_clocks_hz.begin(),
                                      clocks.sm_clocks_hz.end());
    for (const auto& [reason, launches] : clocks.throttled) merged.clocks.throttled[reason] += launches;
    if (merged.interleaved != facts.interleaved) merged.interleaved.clear();
    for (const auto& [name, value] : facts.fields) {
      if (!value.empty()) values[name].insert(value);
    }
  }
  for (const auto& [name, all] : values) {
    std::string& text = merged.fields[name];
    for (const std::string& value : all) text += (text.empty() ? "" : "+") + value;
  }
  merged.tool_version = merged.fields["tool.version"];
  merged.tool_commit = merged.fields["tool.commit"];
  return merged;
}

bool share_a_launch(const DocumentCell& a, const DocumentCell& b) {
  return std::ranges::any_of(a.launches, [&](const LaunchTimes& launch) {
    return std::ranges::find(b.launches, launch) != b.launches.end();
  });
}

// Launches of a cell share a plan, and each counts once. Two documents hold the same launches where in every
// cell that both measured a launch of one has the index and all the medians of one of the other: in one cell
// that may be chance, in all it is a copy. Pooled, copies would make any difference certain.
void check_shared_cells(const std::vector<Document>& documents) {
  struct Holder {
    std::size_t document = 0;
    const DocumentCell* cell = nullptr;
  };
  struct Overlap {
    std::int64_t cells = 0;
    std::int64_t alike = 0;
  };
  std::unordered_map<std::string_view, std::vector<Holder>> holders;
  for (std::size_t d = 0; d < documents.size(); ++d) {
    std::vector<Overlap> overlaps(d);  // with the documents before
    for (const DocumentCell& cell : documents[d].cells) {
      std::vector<Holder>& earlier = holders[cell.id];
      if (!earlier.empty()) check_plan(documents[d], cell.id, documents[earlier.front().document]);
      for (const Holder& holder : earlier) {
        if (cell.launches.empty() || holder.cell->launches.empty()) continue;
        Overlap& overlap = overlaps[holder.document];
        ++overlap.cells;
        if (share_a_launch(cell, *holder.cell)) ++overlap.alike;
      }
      earlier.push_back({d, &cell});
    }
    for (std::size_t e = 0; e < d; ++e) {
      if (overlaps[e].cells == 0 || overlaps[e].alike < overlaps[e].cells) continue;
      throw InputError(documents[d].source,
                       "it holds the same launches as " + documents[e].source + ": remove one");
    }
  }
}

}  // namespace

Side merge(const std::string& source, std::vector<Document> documents) {
  Side side{source, static_cast<std::int64_t>(documents.size()), {}, {}};
  if (documents.size() == 1) {
    side.facts = std::move(documents.front().facts);
    side.cells = std::move(documents.front().cells);
    return side;
  }
  for (const Document& document : documents) check_agreement(documents.front(), document);
  check_shared_cells(documents);
  side.facts = merged_facts(documents);
  std::unordered_map<std::string, std::size_t> positions;  // in the side
  for (Document& document : documents) {
    for (DocumentCell& cell : document.cells) {
      const auto [position, is_new] = positions.try_emplace(cell.id, side.cells.size());
      if (is_new) {
        side.cells.push_back(std::move(cell));
        continue;
      }
      DocumentCell& merged = side.cells[position->second];
      merged.launches.insert(merged.launches.end(), cell.launches.begin(), cell.launches.end());
      if (cell.state > merged.state) {
        merged.state = cell.state;
        merged.reason = cell.reason;
      }
    }
  }
  return side;
}

}  // namespace graphbench::compare
