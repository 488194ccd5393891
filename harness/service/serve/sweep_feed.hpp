// Whoever follows a sweep: server-sent events, first what has happened, then what happens.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/service/net/body_stream.hpp"
#include "harness/service/serve/sweep_store.hpp"

namespace graphbench::serve {

// Events: `progress`, `cell` (with an id, which a client gives back to go on where it was), `done`.
// Thread-safe; nobody who tells waits for anybody who follows.
class SweepFeed {
 public:
  // The store outlives it. Beyond `followers_max` nobody may follow.
  SweepFeed(const SweepStore& store, std::size_t followers_max);
  ~SweepFeed();
  SweepFeed(const SweepFeed&) = delete;
  SweepFeed& operator=(const SweepFeed&) = delete;

  void tell_progress(const std::string& id, const std::string& document);
  // After the store has them.
  void tell_cells(const std::string& id, const std::vector<StoredCell>& cells);
  // After the store has the end.
  void tell_done(const std::string& id);

  // Cells with numbers beyond `after`, progress, and so on until the sweep has ended. Null where as many
  // follow as may; the sweep must exist.
  std::shared_ptr<net::BodyStream> follow(const std::string& id, std::int64_t after);
  std::size_t followers();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace graphbench::serve
