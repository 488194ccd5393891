// What a result document says of its cells: state, reason, and the medians of their launches. Internal to
// harness/compare.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/codec/document.hpp"
#include "harness/codec/json_walk.hpp"
#include "harness/codec/read_facts.hpp"
#include "harness/model/metrics.hpp"

namespace graphbench::codec {

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
};

}  // namespace graphbench::codec
