// Reads a result document field by field, whole or in parts: facts of its tool, environment, plan and clocks,
// then its cells with the medians of their launches. Internal to harness/codec.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/codec/document.hpp"
#include "harness/codec/json_walk.hpp"
#include "harness/model/metrics.hpp"
#include "harness/model/result.hpp"

namespace graphbench::codec {

// Both must outlive it. Each function takes the value of the key it is named for.
class FactsReader {
 public:
  using Value = JsonWalk::Value;

  FactsReader(JsonWalk& walk, DocumentFacts& facts) : walk_(walk), facts_(facts) {}

  void read_tool(Value value) { read_object(value, "tool."); }
  void read_environment(Value value) { read_object(value, ""); }
  void read_plan(Value value);
  // Of a launch. Adds the reasons for which the device was throttled around it.
  void read_clocks(Value machine, std::set<std::string>& reasons);

 private:
  void read_looks(Value looks);
  void read_object(Value value, const std::string& prefix);
  void read_member(const std::string& name, Value value);

  JsonWalk& walk_;
  DocumentFacts& facts_;
};

// "conv2d:cudnn x8, sdpa:own x4", sorted.
std::string paths_text(const std::vector<model::OpPath>& paths);

// "power+thermal"
std::string reasons_text(const std::set<std::string>& reasons);

// The same facts of a result that is in memory.
DocumentFacts facts_of(const model::Result& result);

// All must outlive it.
class CellsReader {
 public:
  using Value = JsonWalk::Value;

  CellsReader(JsonWalk& walk, FactsReader& facts, std::vector<DocumentCell>& cells);

  void read_cells(Value list);

 private:
  // A metric of a launch or of its setup.
  struct Key {
    std::string_view name;
    int compared = -1;  // its position among compared metrics; -1: it is checked and passed over
    bool distribution = false;
  };
  static std::vector<Key> keys_in(model::MetricSection section);
  static const Key* find(const std::vector<Key>& keys, std::string_view name);
  static void store(const Key& key, double seconds, LaunchTimes& times);

  void read_cell(Value value);
  void read_fields(Value value, DocumentCell& cell);
  void check_measured(const DocumentCell& cell);
  CellState read_state(Value value);
  std::string read_reason(Value value);
  void read_launches(Value value, DocumentCell& cell);
  LaunchTimes read_launch(Value value, std::int64_t place, std::vector<std::int64_t>& indices);
  // The p50, after a look at everything that is a time; 0 for null.
  double read_summary(Value value);
  void read_counts(Value value, model::MetricSection section, DocumentCell& cell);
  std::string read_paths(Value value);
  void read_setup(Value value, LaunchTimes& times);
  void read_sustained(Value value, LaunchTimes& times);
  // Over launches: not read, for a comparison sums up by itself, but a document must not contradict itself.
  void check_summary(Value value);

  JsonWalk& walk_;
  FactsReader& facts_;
  std::vector<DocumentCell>& cells_;
  const std::vector<Key> launch_keys_;
  const std::vector<Key> setup_keys_;
  const std::vector<Key> sustained_keys_;
  std::size_t launches_before_ = 0;
  std::set<std::string> throttled_;  // of the cell that is being read
};

// Texts are followed by text_padding readable bytes. Throws InputError, as parse_document() does.
class DocumentReader {
 public:
  explicit DocumentReader(const std::string& source) : walk_(source) { document_.source = source; }
  DocumentReader(const DocumentReader&) = delete;
  DocumentReader& operator=(const DocumentReader&) = delete;

  // One document; what its cells must be together is take()'s to check.
  void read(std::string_view text);
  // Some cells of a document, written as {"cells":[...]}, so that they lie as deep as in it.
  void read_cells(std::string_view text);
  // Moves what read_cells() of `other` has read behind what this has.
  void take_cells_of(DocumentReader& other);
  // Where in the text of read() the list of cells begins.
  std::size_t cells_at() const { return cells_at_; }
  // All that was read, in that order.
  Document take();

 private:
  using Value = JsonWalk::Value;

  void check_schema(simdjson::ondemand::document& json);
  void read_fields(simdjson::ondemand::document& json, std::string_view text);
  void read_field(std::string_view key, Value value, const char* begin);
  void check_cells() const;

  JsonWalk walk_;
  Document document_;
  FactsReader facts_{walk_, document_.facts};
  CellsReader cells_{walk_, facts_, document_.cells};
  simdjson::ondemand::parser parser_;
  std::size_t cells_at_ = 0;
  bool has_cells_ = false;
};

}  // namespace graphbench::codec
