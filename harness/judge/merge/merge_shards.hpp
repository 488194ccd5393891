// Merges task shards of one plan into one result. Cells' text is copied file by file, so memory grows with
// their number, not with their content.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/model/codec/document.hpp"
#include "harness/model/result.hpp"

namespace graphbench::merge {

// Replaces folders by the documents (*.json) in them, in the order of their names, and leaves `output` out.
// Throws InputError for what cannot be read and for a folder without documents.
std::vector<std::string> documents_in(const std::vector<std::string>& paths, const std::string& output);

class ShardMerge {
 public:
  // Reads all files. `allow` are differences of devices by the names of compare's --allow. Throws InputError,
  // which names the file, for what is not a task shard of the same plan, assignment and kind of device, for a
  // repeated shard and for cells that are not in the plan.
  ShardMerge(const std::vector<std::string>& files, const std::vector<std::string>& allow);

  // Lines about what no shard has measured: shards, then cells (the first ten, and how many more). Empty:
  // nothing.
  std::vector<std::string> missing() const;
  std::size_t shards() const { return files_.size(); }
  std::size_t cells() const { return places_.size(); }
  std::int64_t cells_failed() const { return cells_failed_; }

  // The merged document, in the plan's order. Throws InputError where a file is no longer as it was read.
  void write(const std::function<void(std::string_view)>& part);

 private:
  struct Place {
    std::size_t file = 0;
    std::size_t begin = 0;  // of the cell's text
    std::size_t bytes = 0;
  };
  struct File {
    std::string path;
    std::int64_t index = 0;
  };

  void add(const std::string& path, const std::vector<std::string>& allow);
  void check_head(const std::string& path, const model::Result& head, const std::vector<std::string>& allow);
  void plan_cells();
  std::string cell_text(const Place& place) const;

  model::Result merged_;        // all but the cells
  codec::DocumentFacts facts_;  // of the first shard
  std::vector<File> files_;
  std::map<std::int64_t, std::size_t> by_index_;   // positions in files_, by the shard's index
  std::unordered_map<std::string, Place> places_;  // by cell id
  std::vector<std::string> planned_;               // ids, in the plan's order
  std::vector<std::string> unfinished_;            // ids of cells that were not measured completely
  std::int64_t cells_failed_ = 0;
};

}  // namespace graphbench::merge
