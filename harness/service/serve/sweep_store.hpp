// The service's memory in one SQLite file: every accepted sweep and how it ended.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "graphs/base/sqlite.hpp"
#include "harness/service/serve/sweep_request.hpp"

namespace graphbench::serve {

// queued -> running -> done | failed | cancelled | interrupted. A sweep that ended with failed cells is done.
enum class SweepState : std::uint8_t { queued, running, done, failed, cancelled, interrupted };
const char* name_of(SweepState state);
// True if the sweep can be queued again. Its journal, if it has one, still exists.
constexpr bool is_resumable(SweepState state) {
  return state == SweepState::interrupted || state == SweepState::failed;
}

struct StoredSweep {
  std::string id;
  SweepState state = SweepState::queued;
  AskedSweep asked;
  std::string submitted_at;  // RFC 3339, UTC, as the next two; empty if it is not known yet
  std::string started_at;
  std::string finished_at;
  std::optional<int> exit_code;
  std::string message;  // why it failed
  bool has_results = false;
};

// A cell that is done, in the form of the result document, on one line.
struct StoredCell {
  std::int64_t number = 0;  // grows with time, over all sweeps
  std::string id;           // "mlp/base/bf16/forward/b8/w3/whole"
  std::string document;
};

// The size of all their documents.
std::size_t document_bytes(const std::vector<StoredCell>& cells);

struct SweepEnd {
  SweepState state = SweepState::done;
  std::optional<int> exit_code;
  std::string message;
  std::optional<std::string> result;  // the document, whole
  std::string finished_at = {};       // empty: now
};

// Thread-safe. Every change is on disk when the call returns. All throw storage::StorageError where the file
// cannot be read or written, and do not wait for another process that holds it.
class SweepStore {
 public:
  // Makes sweeps that ran when an earlier process ended `interrupted`. Upgrades a file of an older version;
  // throws Error(io) for a newer one.
  explicit SweepStore(const std::string& file);
  SweepStore(const SweepStore&) = delete;
  SweepStore& operator=(const SweepStore&) = delete;
  ~SweepStore() = default;

  struct Added {
    enum class What : std::uint8_t { added, known, full };
    What what = What::added;
    StoredSweep sweep = {};  // the earlier sweep if `known`, because it has the same key; empty if `full`
    bool same = true;        // whether the earlier sweep asked for the same
  };
  // `key`: an Idempotency-Key; empty: none.
  Added add(const AskedSweep& asked, const std::string& key, std::size_t queued_max);

  std::optional<StoredSweep> find(const std::string& id) const;
  // Lists the newest first; where `after` is given, which exists, only older ones.
  std::vector<StoredSweep> list(std::size_t limit, const std::optional<std::string>& after) const;
  std::size_t queued() const;
  // The document of a sweep that has ended.
  std::optional<std::string> result(const std::string& id) const;

  // Throws where nothing can be written. Writes at most once per second, and repeats its answer in between.
  void probe();

  // Makes the oldest queued sweep running, and removes its document from before an interruption.
  std::optional<StoredSweep> take();
  // Stores the event with which a running sweep began.
  void begin(const std::string& id, const std::string& event);
  // Stores all of the end or nothing, so it may be tried again.
  void end(const std::string& id, const SweepEnd& end);
  // Queues a resumable sweep again. Returns false if it is not resumable.
  bool resume(const std::string& id);
  // Cancels a queued sweep. Returns false if it is not queued.
  bool cancel(const std::string& id);

  // Stores each cell in place of its earlier form; returns those that are new or have changed.
  struct NewCell {
    std::string id;
    std::string document;
  };
  std::vector<StoredCell> add_cells(const std::string& sweep, const std::vector<NewCell>& cells);
  // The sweep's cells with numbers beyond `after`, in their order.
  std::vector<StoredCell> cells(const std::string& sweep, std::int64_t after) const;
  // The highest number of its cells; 0: there are none. Where it has not changed, neither have the cells.
  std::int64_t last_cell(const std::string& sweep) const;

  struct Ended {
    std::string id;
    std::string began;  // the event of begin()
    std::optional<int> exit_code;
    std::int64_t unix_seconds = 0;
  };
  // The last accepted sweep that is done.
  std::optional<Ended> last_done() const;

 private:
  void write(const std::function<void()>& change);
  std::size_t count_queued() const;

  mutable std::mutex mutex_;
  mutable storage::Connection database_;
  std::optional<std::chrono::steady_clock::time_point> probed_;
  std::string probe_error_;  // error of the last probe; empty: none
};

// Rises when the tables change in a way that an older graphbench cannot read.
inline constexpr int sweep_store_version = 4;

// Creates the file where there is none, for this user only, and upgrades the tables of an older version.
// Throws Error(io), which names the file, if it cannot be used or a newer version wrote it.
storage::Connection open_sweep_store(const std::string& file);

}  // namespace graphbench::serve
