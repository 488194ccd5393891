// Runs graphbench merge, which makes one result from the shards of one plan. The first pass indexes and
// checks the cells, the second copies their text. So memory depends on the number of cells, not their size.
#include "harness/options/command.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <unordered_map>

#include "graphs/base/error.hpp"
#include "graphs/base/files.hpp"
#include "graphs/base/text.hpp"
#include "harness/judge/compare/facts.hpp"
#include "harness/judge/compare/settings.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/codec/documents.hpp"
#include "harness/model/codec/parse_document.hpp"
#include "harness/options/output.hpp"
#include "harness/sweep/plan/make_plan.hpp"

namespace graphbench::judge {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t listed_max = 10;

void check_is_task_shard(const std::string& path, const model::Result& head) {
  if (!head.plan.shard)
    throw InputError(
        path,
        "the document is not a shard, because plan.shard is missing: give a document that --shard I/N wrote");
  if (head.plan.shard->by != "task") {
    throw InputError(
        path,
        "the document is a replica, which measured the whole plan: give replicas as a folder to compare, "
        "and merge only task shards");
  }
}

// Refuses numbers that no sweep writes: the merge counts up to them, and multiplies the axes out.
void check_extent(const std::string& path, const model::PlanFacts& plan) {
  const model::ShardFacts& shard = *plan.shard;
  if (shard.count < 1 || shard.count > options::shards_max || shard.index < 1 || shard.index > shard.count) {
    throw InputError(path, "plan.shard: shard " + std::to_string(shard.index) + " of " +
                               std::to_string(shard.count) + " is not one of 1 to " +
                               std::to_string(options::shards_max) + " shards: measure the shard again");
  }
  if (plan.launches < 1)
    throw InputError(path, "plan.launches: " + std::to_string(plan.launches) + " is not 1 or more");
  sweep::check_size(model::grids_of(plan), plan.launches, path + ": plan.axes");
}

std::string preset_of(const std::string& workload, const model::PlanFacts& plan) {
  const auto found = plan.shard->presets.find(workload);
  if (found != plan.shard->presets.end()) return found->second;
  return plan.axes.preset.empty() ? "" : plan.axes.preset.front();
}

// Replaces each folder by its *.json files in the order of their names, except `output`. Throws InputError
// for a folder that cannot be read or has no such file.
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
      throw InputError(path, "the folder has no documents: give a folder with *.json files");
    std::ranges::sort(inside);
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

class ShardMerge {
 public:
  // `allow`: names of facts that may differ between the files, as for compare's --allow. Throws InputError,
  // which names the file, if a file is not a task shard, differs from the first file in its plan, in the
  // cells of each shard or in a fact that blocks a comparison, repeats a shard or cell, or has a cell beyond
  // the plan.
  ShardMerge(const std::vector<std::string>& files, const std::vector<std::string>& allow) {
    for (const std::string& file : files) add(file, allow);
    plan_cells();
    std::ranges::sort(merged_.shards, {}, &model::MergedShard::index);
  }

  // Returns one line per missing shard, then one per missing or unfinished cell. After ten of either, one
  // line has the number of the others.
  std::vector<std::string> missing() const {
    std::vector<std::string> lines;
    const std::int64_t count = merged_.plan.shard->count;
    const std::size_t absent_shards = static_cast<std::size_t>(count) - by_index_.size();
    for (std::int64_t index = 1; index <= count && lines.size() < listed_max; ++index) {
      if (!by_index_.contains(index))
        lines.push_back("shard " + std::to_string(index) + " of " + std::to_string(count) + " is missing");
    }
    if (absent_shards > listed_max)
      lines.push_back("and " + std::to_string(absent_shards - listed_max) + " more shards");
    const std::set<std::string> unfinished(unfinished_.begin(), unfinished_.end());
    std::size_t cells = 0;
    for (const std::string& id : planned_) {
      const bool absent = !places_.contains(id);
      if (!absent && !unfinished.contains(id)) continue;
      if (++cells <= listed_max)
        lines.push_back("cell " + id + (absent ? " is missing" : " was measured only in part"));
    }
    if (cells > listed_max) lines.push_back("and " + std::to_string(cells - listed_max) + " more cells");
    return lines;
  }

  std::size_t shards() const { return files_.size(); }
  std::size_t cells() const { return places_.size(); }
  std::int64_t cells_failed() const { return cells_failed_; }

  // Writes the document with cells in the plan's order. Throws InputError if a file has changed.
  void write(const std::function<void(std::string_view)>& part) {
    merged_.complete = missing().empty();
    merged_.plan.shard.reset();
    for (const std::string& id : planned_) {
      if (const auto found = places_.find(id); found != places_.end())
        merged_.cells.push_back(std::move(found->second.evidence));
    }
    part(model::head_to_json(merged_));
    const char* separator = "\n    ";
    for (const std::string& id : planned_) {
      const auto found = places_.find(id);
      if (found == places_.end()) continue;
      part(separator + cell_text(found->second));
      separator = ",\n    ";
    }
    part("\n  ]\n}\n");
  }

 private:
  struct Place {
    std::size_t file = 0;
    std::size_t begin = 0;  // byte offset of the cell's text
    std::size_t bytes = 0;
    model::CellResult evidence{};  // the parts that harness/model/findings reads
  };
  struct File {
    std::string path;
    std::int64_t index = 0;
  };

  void add(const std::string& path, const std::vector<std::string>& allow) {
    const model::PaddedText text = model::read_text(path);
    model::DocumentInParts parts = model::read_parts(text.view(), path);
    check_head(path, parts.head, allow);
    const std::size_t file = files_.size();
    files_.push_back({path, parts.head.plan.shard->index});
    for (model::CellText& cell : parts.cells) {
      const model::CellResult& found = cell.evidence;
      const bool interrupted =
          found.status == model::CellStatus::skipped && found.reason && found.reason->code == "interrupted";
      const bool complete =
          found.status != model::CellStatus::ok || std::ssize(found.launches) == merged_.plan.launches;
      if (interrupted || !complete) unfinished_.push_back(cell.id);
      if (found.status == model::CellStatus::failed) ++cells_failed_;
      const auto [known, is_new] =
          places_.try_emplace(cell.id, Place{file, cell.begin, cell.bytes, std::move(cell.evidence)});
      if (!is_new) {
        throw InputError(path, "cell " + in_quotes(cell.id) + " is in " +
                                   in_quotes(files_[known->second.file].path) +
                                   " too, but a cell belongs to one shard: give only one of the two files");
      }
    }
  }

  void check_head(const std::string& path, const model::Result& head, const std::vector<std::string>& allow) {
    check_is_task_shard(path, head);
    check_extent(path, head.plan);
    const model::ShardFacts& shard = *head.plan.shard;
    if (files_.empty()) {
      merged_ = head;
      facts_ = model::facts_of(head);
    } else {
      const std::string& first = files_.front().path;
      if (head.plan.hash != merged_.plan.hash)
        throw InputError(path,
                         "the plan differs from that of " + in_quotes(first) + ": merge shards of one plan");
      if (shard.count != merged_.plan.shard->count || shard.assignment != merged_.plan.shard->assignment) {
        throw InputError(path,
                         "the cells were assigned to shards differently from those of " + in_quotes(first) +
                             " (other shards, launches, seed, costs, plugins or binary): measure this shard "
                             "again with the same options");
      }
      if (const auto same = by_index_.find(shard.index); same != by_index_.end()) {
        throw InputError(path, "this is shard " + std::to_string(shard.index) + " of " +
                                   std::to_string(shard.count) + ", as " +
                                   in_quotes(files_[same->second].path) + " is: give only one of the two");
      }
      const auto differences = differences_of(facts_, model::facts_of(head), allow);
      const auto blocking =
          std::ranges::find_if(differences, [](const auto& each) { return each.blocking && !each.allowed; });
      if (blocking != differences.end()) {
        throw InputError(path, blocking->field + " is " + in_quotes(blocking->now) + ", but " +
                                   in_quotes(blocking->base) + " in " + in_quotes(first) +
                                   ": to merge them anyway, give --allow " + blocking->field + "");
      }
    }
    // Takes environment and argv from the shard with the lowest index: the order of files has no effect.
    if (by_index_.empty() || shard.index < by_index_.begin()->first) {
      merged_.environment = head.environment;
      merged_.plan.argv = head.plan.argv;
    }
    by_index_.emplace(shard.index, files_.size());
    merged_.shards.push_back({shard.index, head.started_at, head.finished_at, head.environment});
    merged_.started_at = std::min(merged_.started_at, head.started_at);
    merged_.finished_at = std::max(merged_.finished_at, head.finished_at);
  }

  void plan_cells() {
    const auto preset = [&](const std::string& workload) { return preset_of(workload, merged_.plan); };
    for (const model::Cell& cell : model::cells_of(merged_.plan, preset))
      planned_.push_back(model::id_of(cell));
    std::size_t found = 0;
    for (const std::string& id : planned_) found += places_.count(id);
    if (found == places_.size()) return;
    const std::set<std::string> planned(planned_.begin(), planned_.end());
    for (const auto& [id, place] : places_) {
      if (planned.contains(id)) continue;
      throw InputError(files_[place.file].path,
                       "cell " + in_quotes(id) +
                           " is not in the file's plan, so the file was changed: measure the shard again");
    }
  }

  std::string cell_text(const Place& place) const {
    const File& file = files_[place.file];
    std::ifstream in(file.path, std::ios::binary);
    std::string text(place.bytes, '\0');
    in.seekg(static_cast<std::streamoff>(place.begin));
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!in || text.front() != '{' || text.back() != '}')
      throw InputError(file.path, "the file was changed during the merge: merge again");
    text.pop_back();
    return text + ",\"shard\":" + std::to_string(file.index) + "}";
  }

  model::Result merged_;        // everything except the cells, whose evidence write() adds
  model::DocumentFacts facts_;  // facts of the first shard
  std::vector<File> files_;
  std::map<std::int64_t, std::size_t> by_index_;   // positions in files_, by the shard's index
  std::unordered_map<std::string, Place> places_;  // by cell id
  std::vector<std::string> planned_;               // cell ids, in the plan's order
  std::vector<std::string> unfinished_;
  std::int64_t cells_failed_ = 0;
};

constexpr const char* merge_footer =
    "SHARD is a document that --shard I/N wrote, or a folder of such documents. Exit codes: 0 merged; 2 bad "
    "usage "
    "or\ninput, nothing is written; 3 a part of the plan is missing, nothing is written without "
    "--partial, or\nsome cells failed. docs/reference/shards.md says what is checked.\n";

class MergeCommand final : public options::Command {
 public:
  explicit MergeCommand(options::Options& options) {
    options.footer(merge_footer);
    options.words("SHARD", paths_, "documents of shards, or folders of such documents");
    options.text("-o,--output", output_, "FILE", "write the merged document to FILE; - for stdout");
    options.flag("--partial", partial_, "merge the given shards although others are missing");
    options.text("--allow", allow_, "FIELD,...", "merge although these differ: device, ...");
  }

  void check() override {
    if (paths_.empty()) throw InputError("merge", "SHARD is missing: graphbench merge SHARD... -o FILE");
    if (output_.empty()) throw InputError("-o", "the option is missing: graphbench merge SHARD... -o FILE");
  }

  int run(const options::Invocation&) override {
    model::ComparisonSettings settings;
    if (!allow_.empty()) set_allow(allow_, settings);
    for (const std::string& path : paths_) {
      if (options::same_file(path, output_))
        throw InputError("-o", in_quotes(output_) + " is one of the shards: give another file");
    }
    options::check_output_file("-o", output_, options::Stdout::allowed);
    ShardMerge merged(judge::documents_in(paths_, output_), settings.allow);
    const std::vector<std::string> missing = merged.missing();
    for (const std::string& line : missing) complain("%s", line.c_str());
    if (!missing.empty() && !partial_) {
      complain("nothing was written: measure the missing shards, or give --partial");
      return model::exit_cells_failed;
    }
    write(merged);
    if (output_ != "-")
      std::printf("%zu %s, %zu cells: %s\n", merged.shards(), merged.shards() == 1 ? "shard" : "shards",
                  merged.cells(), output_.c_str());
    if (merged.cells_failed() == 0) return model::exit_done;
    complain("%lld of %zu cells failed", static_cast<long long>(merged.cells_failed()), merged.cells());
    return model::exit_cells_failed;
  }

 private:
  void write(ShardMerge& merged) const {
    if (output_ == "-") {
      merged.write([](std::string_view part) { std::fwrite(part.data(), 1, part.size(), stdout); });
    } else {
      write_file_atomically(output_, WriteParts([&](const auto& part) { merged.write(part); }));
    }
  }

  std::vector<std::string> paths_;
  std::string output_;
  std::string allow_;
  bool partial_ = false;
};

}  // namespace

std::unique_ptr<options::Command> make_merge(options::Options& options) {
  return std::make_unique<MergeCommand>(options);
}

}  // namespace graphbench::judge
