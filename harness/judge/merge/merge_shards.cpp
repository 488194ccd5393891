// Merges shards in two passes: the first indexes and checks, the second copies.
#include "harness/judge/merge/merge_shards.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "graphs/base/text.hpp"
#include "harness/judge/compare/facts.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/codec/document_file.hpp"
#include "harness/model/codec/documents.hpp"
#include "harness/model/codec/project.hpp"

namespace graphbench::merge {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t listed_max = 10;

void check_is_task_shard(const std::string& path, const model::Result& head) {
  if (!head.plan.shard)
    throw InputError(path, "it is no shard: it has no plan.shard. Give what --shard I/N wrote");
  if (head.plan.shard->by != "task") {
    throw InputError(path,
                     "it is a replica, which measured the whole plan: leave replicas in a folder, which "
                     "compare reads, and merge task shards");
  }
}

// The preset of a workload: the plan's, where it has one, or what the shards say.
std::string preset_of(const std::string& workload, const model::PlanFacts& plan) {
  const auto found = plan.shard->presets.find(workload);
  if (found != plan.shard->presets.end()) return found->second;
  return plan.axes.preset.empty() ? "" : plan.axes.preset.front();
}

}  // namespace

std::vector<std::string> documents_in(const std::vector<std::string>& paths, const std::string& output) {
  std::vector<std::string> files;
  std::error_code error;
  for (const std::string& path : paths) {
    if (!fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> inside;
    for (const auto& entry : fs::directory_iterator(path, error)) {
      const bool is_output = !output.empty() && fs::equivalent(entry.path(), output, error);
      if (entry.path().extension() == ".json" && !is_output) inside.push_back(entry.path().string());
    }
    if (inside.empty())
      throw InputError(path, "it is a folder without documents: give one with *.json files in it");
    std::ranges::sort(inside);
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

ShardMerge::ShardMerge(const std::vector<std::string>& files, const std::vector<std::string>& allow) {
  for (const std::string& file : files) add(file, allow);
  plan_cells();
  std::ranges::sort(merged_.shards, {}, &model::MergedShard::index);
}

void ShardMerge::add(const std::string& path, const std::vector<std::string>& allow) {
  const codec::PaddedText text = codec::read_text(path);
  codec::DocumentInParts parts = codec::read_parts(text.view(), path);
  check_head(path, parts.head, allow);
  const std::size_t file = files_.size();
  files_.push_back({path, parts.head.plan.shard->index});
  for (const codec::CellText& cell : parts.cells) {
    const auto [known, is_new] = places_.try_emplace(cell.id, Place{file, cell.begin, cell.bytes});
    if (!is_new) {
      throw InputError(path, "cell " + in_quotes(cell.id) + " is in " +
                                 in_quotes(files_[known->second.file].path) + " too: a cell is of one shard");
    }
    const bool measured = cell.status != model::CellStatus::skipped || cell.reason != "interrupted";
    const bool complete = cell.status != model::CellStatus::ok || cell.launches == merged_.plan.launches;
    if (!measured || !complete) unfinished_.push_back(cell.id);
    if (cell.status == model::CellStatus::failed) ++cells_failed_;
  }
}

void ShardMerge::check_head(const std::string& path, const model::Result& head,
                            const std::vector<std::string>& allow) {
  check_is_task_shard(path, head);
  const model::ShardFacts& shard = *head.plan.shard;
  if (files_.empty()) {
    merged_ = head;
    facts_ = codec::project(head, path).facts;
  } else {
    const std::string& first = files_.front().path;
    if (head.plan.hash != merged_.plan.hash)
      throw InputError(path, "it is of another plan than " + in_quotes(first) + ": merge shards of one plan");
    if (shard.count != merged_.plan.shard->count || shard.assignment != merged_.plan.shard->assignment) {
      throw InputError(path,
                       "its cells were assigned otherwise than those of " + in_quotes(first) +
                           " (other shards, launches, seed, costs, plugins or binary): measure it again "
                           "as the others were");
    }
    if (const auto same = by_index_.find(shard.index); same != by_index_.end()) {
      throw InputError(path, "it is shard " + std::to_string(shard.index) + " of " +
                                 std::to_string(shard.count) + ", as " +
                                 in_quotes(files_[same->second].path) + " is: give one");
    }
    const auto differences = compare::differences_of(facts_, codec::project(head, path).facts, allow);
    const auto blocking =
        std::ranges::find_if(differences, [](const auto& each) { return each.blocking && !each.allowed; });
    if (blocking != differences.end()) {
      throw InputError(path, "its " + blocking->field + " is " + in_quotes(blocking->now) + ", and " +
                                 in_quotes(blocking->base) + " in " + in_quotes(first) + ": give --allow " +
                                 blocking->field + " if that is meant");
    }
  }
  // This does not depend on the order of the files.
  if (by_index_.empty() || shard.index < by_index_.begin()->first) {
    merged_.environment = head.environment;
    merged_.plan.argv = head.plan.argv;
  }
  by_index_.emplace(shard.index, files_.size());
  merged_.shards.push_back({shard.index, head.started_at, head.finished_at, head.environment});
  merged_.started_at = std::min(merged_.started_at, head.started_at);
  merged_.finished_at = std::max(merged_.finished_at, head.finished_at);
}

void ShardMerge::plan_cells() {
  for (const std::string& workload : merged_.plan.axes.workload) {
    for (const model::Cell& cell :
         model::cells_of(workload, preset_of(workload, merged_.plan), merged_.plan.axes))
      planned_.push_back(model::id_of(cell));
  }
  std::size_t found = 0;
  for (const std::string& id : planned_) found += places_.count(id);
  if (found == places_.size()) return;
  const std::set<std::string> planned(planned_.begin(), planned_.end());
  for (const auto& [id, place] : places_) {
    if (planned.contains(id)) continue;
    throw InputError(files_[place.file].path,
                     "cell " + in_quotes(id) + " is not of its plan: the file was changed");
  }
}

std::vector<std::string> ShardMerge::missing() const {
  std::vector<std::string> lines;
  const std::int64_t count = merged_.plan.shard->count;
  for (std::int64_t index = 1; index <= count; ++index) {
    if (!by_index_.contains(index))
      lines.push_back("shard " + std::to_string(index) + " of " + std::to_string(count) + " is missing");
  }
  const std::set<std::string> unfinished(unfinished_.begin(), unfinished_.end());
  std::size_t cells = 0;
  for (const std::string& id : planned_) {
    const bool absent = !places_.contains(id);
    if (!absent && !unfinished.contains(id)) continue;
    if (++cells <= listed_max)
      lines.push_back("cell " + id + (absent ? " is missing" : " was not measured to its end"));
  }
  if (cells > listed_max) lines.push_back("and " + std::to_string(cells - listed_max) + " more cells");
  return lines;
}

std::string ShardMerge::cell_text(const Place& place) const {
  const File& file = files_[place.file];
  std::ifstream in(file.path, std::ios::binary);
  std::string text(place.bytes, '\0');
  in.seekg(static_cast<std::streamoff>(place.begin));
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!in || text.front() != '{' || text.back() != '}')
    throw InputError(file.path, "it was changed while it was merged: merge again");
  text.pop_back();
  return text + ",\"shard\":" + std::to_string(file.index) + "}";
}

void ShardMerge::write(const std::function<void(std::string_view)>& part) {
  merged_.complete = missing().empty();
  merged_.plan.shard.reset();
  part(codec::head_to_json(merged_));
  const char* separator = "\n    ";
  for (const std::string& id : planned_) {
    const auto found = places_.find(id);
    if (found == places_.end()) continue;
    part(separator + cell_text(found->second));
    separator = ",\n    ";
  }
  part("\n  ]\n}\n");
}

}  // namespace graphbench::merge
