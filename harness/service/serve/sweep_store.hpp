// Stores every accepted sweep and its end in one SQLite file.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "graphs/base/error.hpp"
#include "graphs/base/sqlite.hpp"
#include "harness/service/serve/sweep_request.hpp"

namespace graphbench::service {

// queued -> running -> done | failed | cancelled | interrupted. A sweep with failed cells is done.
enum class SweepState : std::uint8_t { queued, running, done, failed, cancelled, interrupted };
const char* name_of(SweepState state);
// True if the sweep can be queued again. Its journal, if there is one, still exists.
constexpr bool is_resumable(SweepState state) {
  return state == SweepState::interrupted || state == SweepState::failed;
}

struct StoredSweep {
  std::string id;
  SweepState state = SweepState::queued;
  AskedSweep asked;
  std::string submitted_at;  // the three times are RFC 3339 in UTC; empty: not known yet
  std::string started_at;
  std::string finished_at;
  std::optional<int> exit_code;
  std::string message;
  bool has_results = false;
};

// A finished cell, as one line in the form of the result document.
struct StoredCell {
  std::int64_t number = 0;  // increases with time, over all sweeps
  std::string id;           // "mlp/base/bf16/forward/b8/w3/whole"
  std::string document;
};

std::size_t document_bytes(const std::vector<StoredCell>& cells);

struct SweepEnd {
  SweepState state = SweepState::done;
  std::optional<int> exit_code;
  std::string message;
  std::optional<std::string> result;
  std::string finished_at = {};  // empty: now
};

// A stored document that readers refuse. A client cannot mend it and gets 500; an operator can.
class DamagedDocument : public Error {
 public:
  DamagedDocument(const std::string& sweep, const std::string& why)
      : Error(ErrorCode::io, "the stored document of sweep " + sweep + " cannot be used: " + why) {}
};

// Thread-safe. Every change is on disk when the call returns. All functions throw SqlError if
// the file cannot be read or written, and do not wait if another process has locked the file. Those that
// return documents throw DamagedDocument for one that is not a JSON object.
class SweepStore {
 public:
  // Marks sweeps as interrupted if they were running when an earlier process ended. Upgrades a file of an
  // older version; throws Error(io) for a newer version.
  explicit SweepStore(const std::string& file);
  SweepStore(const SweepStore&) = delete;
  SweepStore& operator=(const SweepStore&) = delete;
  ~SweepStore() = default;

  struct Added {
    enum class What : std::uint8_t { added, known, full };
    What what = What::added;
    StoredSweep sweep = {};  // the earlier sweep with the same key if `known`; empty if `full`
    bool same = true;        // if `known`: whether the earlier sweep has the same options
  };
  // `key` is the Idempotency-Key; empty: none.
  Added add(const AskedSweep& asked, const std::string& key, std::size_t queued_max);

  std::optional<StoredSweep> find(const std::string& id) const;
  // Lists the newest sweeps first; if `after` is given, only older sweeps. `after` must exist.
  std::vector<StoredSweep> list(std::size_t limit, const std::optional<std::string>& after) const;
  std::size_t queued() const;
  // The document of an ended sweep; absent if the sweep has not ended or has no document.
  std::optional<std::string> result(const std::string& id) const;

  // Stores as much as a sweep needs, and throws if that fails. Writes at most once per second; other calls
  // repeat the last result.
  void probe();

  // Marks the oldest queued sweep as running, removes what its earlier run said and its document, and returns
  // the sweep.
  // Absent if no sweep is queued.
  std::optional<StoredSweep> take();
  // Stores what the process of the sweep's run said first.
  void begin(const std::string& id, const std::string& event);
  // The text that begin() stored in the sweep's latest run; empty if there is none.
  std::string began(const std::string& id) const;
  // Stores the whole end or nothing, so the call may be repeated.
  void end(const std::string& id, const SweepEnd& end);
  // Queues a resumable sweep again. Returns false if it is not resumable.
  bool resume(const std::string& id);
  // Cancels a queued sweep. Returns false if it is not queued.
  bool cancel(const std::string& id);

  struct NewCell {
    std::string id;
    std::string document;
  };
  // Replaces each cell's earlier document. Returns the cells that are new or have changed.
  std::vector<StoredCell> add_cells(const std::string& sweep, const std::vector<NewCell>& cells);
  // The sweep's cells with numbers above `after`, in ascending order.
  std::vector<StoredCell> cells(const std::string& sweep, std::int64_t after) const;
  // The sweep's highest cell number; 0 if it has no cells. Each change of the cells increases the number.
  std::int64_t last_cell(const std::string& sweep) const;

  struct Ended {
    std::int64_t number = 0;  // increases with time
    std::string id;
    std::string began;  // what begin() stored
    std::optional<int> exit_code;
    std::int64_t unix_seconds = 0;
  };
  // The last accepted sweep that is done and has a number below `before`. Absent if there is none.
  std::optional<Ended> last_done(std::int64_t before = std::numeric_limits<std::int64_t>::max()) const;
  // The ids of the sweep's cells, without their documents.
  std::vector<std::string> cell_ids(const std::string& sweep) const;

 private:
  void write(const std::function<void()>& change);
  // Runs one statement as a change. Returns the number of changed rows.
  template <typename... Values>
  int change(const char* sql, const Values&... values);
  std::size_t count_queued() const;

  mutable std::mutex mutex_;
  mutable SqlConnection database_;
  std::optional<std::chrono::steady_clock::time_point> probed_;
  std::string probe_error_;
};

}  // namespace graphbench::service
