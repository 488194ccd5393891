// Reads a side's documents, checks them against each other, and merges them.
#include "harness/judge/compare/read_side.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <future>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "graphs/base/text.hpp"
#include "harness/model/codec/parse_document.hpp"

namespace graphbench::judge {
namespace {

std::string shown(const std::string& value) {
  return value.empty() ? "nothing" : in_quotes(value);
}

// Checks the facts that all documents of a side must share. The fingerprint covers further facts.
void check_agreement(const Document& first, const Document& other) {
  for (const char* field : {"device.kind", "device.name", "device.compute_capability", "device.driver",
                            "device.runtime", "fingerprint", "method"}) {
    const auto value = [&](const Document& document) { return document.facts.field(field); };
    if (value(first) == value(other)) continue;
    throw InputError(other.source,
                     std::string(field) + " is " + shown(value(other)) + ", but " + shown(value(first)) +
                         " in " + first.source +
                         ": all documents of a side must come from the same machine and software");
  }
}

// Documents that share a cell must share a plan. Shards may have different plans, because they share no cell.
void check_plan(const Document& document, const std::string& cell, const Document& earlier) {
  if (document.facts.field("plan") == earlier.facts.field("plan")) return;
  throw InputError(document.source, "cell " + in_quotes(cell) + " has another plan here than in " +
                                        earlier.source + ": all launches of a cell must have the same plan");
}

// Joins the sorted distinct values of each fact, so that the result does not depend on file names.
DocumentFacts merged_facts(const std::vector<Document>& documents) {
  DocumentFacts merged;
  std::map<std::string, std::set<std::string>> values;
  merged.interleaved = documents.front().facts.interleaved;
  merged.looks = documents.front().facts.looks;
  for (const Document& document : documents) {
    const DocumentFacts& facts = document.facts;
    merged.complete = merged.complete && facts.complete;
    if (merged.started_at.empty() || (!facts.started_at.empty() && facts.started_at < merged.started_at)) {
      merged.started_at = facts.started_at;
    }
    merged.clocks.add(facts.clocks);
    merged.loads.insert(merged.loads.end(), facts.loads.begin(), facts.loads.end());
    if (merged.interleaved != facts.interleaved) merged.interleaved.clear();
    if (merged.looks != facts.looks) merged.looks.clear();
    for (const auto& [name, value] : facts.fields) {
      if (!value.empty()) values[name].insert(value);
    }
  }
  for (const auto& [name, all] : values) merged.fields[name] = join(all, "+");
  merged.tool_version = merged.fields["tool.version"];
  merged.tool_commit = merged.fields["tool.commit"];
  return merged;
}

bool share_a_launch(const DocumentCell& a, const DocumentCell& b) {
  return std::ranges::any_of(a.launches,
                             [&](const LaunchTimes& launch) { return contains(b.launches, launch); });
}

// A hash of a cell's launch. Launches of a cell that share_a_launch() finds equal have equal digests.
std::size_t digest_of(const std::string& cell, const LaunchTimes& launch) {
  std::size_t digest = std::hash<std::string>()(cell) ^ static_cast<std::size_t>(launch.index);
  for (const auto& [metric, seconds] : launch.seconds) digest = digest * 31 + std::hash<double>()(seconds);
  return digest;
}

// True if the documents share a launch (same index, same medians) in every cell that both measured. One
// shared launch may be chance; one in every cell means that one document is a copy of the other.
bool are_copies(const Document& one, const Document& other) {
  std::unordered_map<std::string_view, const DocumentCell*> cells;
  for (const DocumentCell& cell : one.cells) cells.emplace(cell.id, &cell);
  bool any = false;
  for (const DocumentCell& cell : other.cells) {
    const auto found = cells.find(cell.id);
    if (found == cells.end() || cell.launches.empty() || found->second->launches.empty()) continue;
    if (!share_a_launch(cell, *found->second)) return false;
    any = true;
  }
  return any;
}

// Throws InputError if documents of one cell have different plans, or if one is a copy: copied launches make
// any difference look certain. Only documents with a common digest are compared launch by launch.
void check_shared_cells(const std::vector<Document>& documents) {
  if (documents.size() < 2) return;
  std::unordered_map<std::string_view, std::size_t> first;            // first document with a cell, by id
  std::unordered_map<std::size_t, std::vector<std::size_t>> holders;  // documents, by digest_of()
  for (std::size_t d = 0; d < documents.size(); ++d) {
    std::set<std::size_t> alike;
    for (const DocumentCell& cell : documents[d].cells) {
      const std::size_t holder = first.emplace(cell.id, d).first->second;
      if (holder != d) check_plan(documents[d], cell.id, documents[holder]);
      for (const LaunchTimes& launch : cell.launches) {
        std::vector<std::size_t>& earlier = holders[digest_of(cell.id, launch)];
        alike.insert(earlier.begin(), earlier.end());
        earlier.push_back(d);
      }
    }
    for (const std::size_t e : alike) {
      if (e == d || !are_copies(documents[e], documents[d])) continue;
      throw InputError(documents[d].source, "the document has the same launches as " + documents[e].source +
                                                ": remove one of the two");
    }
  }
}

namespace fs = std::filesystem;

std::vector<std::string> documents_below(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(".") && name.ends_with(".json")) paths.push_back(at->path().string());
  }
  if (error) model::cannot_read(folder, error.value());
  if (paths.empty())
    throw InputError(
        folder, "the folder has no *.json file: give a result document, or a folder of result documents");
  std::ranges::sort(paths);
  return paths;
}

void check_names(const std::vector<std::string>& paths) {
  std::map<std::pair<dev_t, ino_t>, const std::string*> seen;
  for (const std::string& path : paths) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) model::cannot_read(path, errno);
    const auto [place, is_new] = seen.try_emplace({status.st_dev, status.st_ino}, &path);
    if (!is_new)
      throw InputError(path, "this is the same file as " + *place->second + ": remove one of the two");
  }
}

// True for every path that is neither a file nor a folder. read_sides() reads pipes one after the other, BASE
// first, because a process that writes both may block on the first pipe before it opens the second.
bool is_pipe(const std::string& path) {
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  return type != fs::file_type::regular && type != fs::file_type::directory;
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
  std::unordered_map<std::string, std::size_t> positions;  // in side.cells, by id
  for (Document& document : documents) {
    for (DocumentCell& cell : document.cells) {
      for (LaunchTimes& launch : cell.launches) launch.document = &document - documents.data();
      const auto [position, is_new] = positions.try_emplace(cell.id, side.cells.size());
      if (is_new) {
        side.cells.push_back(std::move(cell));
        continue;
      }
      DocumentCell& merged = side.cells[position->second];
      merged.launches.insert(merged.launches.end(), cell.launches.begin(), cell.launches.end());
      if (merged.throttled != cell.throttled && !cell.throttled.empty())
        merged.throttled += (merged.throttled.empty() ? "" : "+") + cell.throttled;
      if (cell.state > merged.state) {
        merged.state = cell.state;
        merged.reason = cell.reason;
      }
    }
  }
  return side;
}

Side side_of(const model::Result& result, const std::string& source) {
  std::vector<Document> documents;
  documents.push_back(model::project(result, source));
  return merge(source, std::move(documents));
}

Side read_side(const std::string& path) {
  std::error_code error;
  const bool folder = fs::is_directory(path, error);
  std::vector<Document> documents;
  const std::vector<std::string> paths = folder ? documents_below(path) : std::vector<std::string>{path};
  check_names(paths);
  for (const std::string& each : paths)
    documents.push_back(model::parse_document(model::read_text(each).view(), each));
  return merge(path, std::move(documents));
}

Sides read_sides(const std::string& base, const std::string& now) {
  const bool in_turns = is_pipe(base) || is_pipe(now);
  // The main thread reads BASE, so that BASE's error is reported first. For pipes, or if no thread can be
  // started, std::launch::deferred reads NEW afterwards.
  const auto how = in_turns ? std::launch::deferred : std::launch::async | std::launch::deferred;
  std::future<Side> second = std::async(how, [&] { return read_side(now); });
  Side first = read_side(base);
  return {std::move(first), second.get()};
}

}  // namespace graphbench::judge
