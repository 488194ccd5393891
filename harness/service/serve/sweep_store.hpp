// What the service remembers: every sweep it accepted, and what became of it. SQLite, one file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graphs/ir/error.hpp"

namespace graphbench::serve {

// queued -> running -> done | failed | cancelled | interrupted. A sweep that ended with failed cells is done.
enum class SweepState : std::uint8_t { queued, running, done, failed, cancelled, interrupted };
const char* name_of(SweepState state);

struct StoredSweep {
  std::string id;
  SweepState state = SweepState::queued;
  std::vector<std::string> arguments;  // of `graphbench --sweep`
  std::string submitted_at;            // RFC 3339, UTC; likewise the next two, empty where not yet
  std::string started_at;
  std::string finished_at;
  std::optional<int> exit_code;
  std::string message;  // why it failed
};

// A cell that is done, as it stands in the result document, on one line.
struct StoredCell {
  std::int64_t number = 0;  // grows with time, over all sweeps
  std::string id;           // "mlp/base/bf16/forward/b8/w3/whole"
  std::string document;
};

struct SweepEnd {
  SweepState state = SweepState::done;
  std::optional<int> exit_code;
  std::string message;
  std::optional<std::string> result;  // the document, whole
  std::string finished_at = {};       // empty: now
};

// The file fails, or its disk does. Code io.
class StoreError : public Error {
 public:
  explicit StoreError(const std::string& what) : Error(ErrorCode::io, what) {}
};

// Thread-safe. Every change is on disk when the call returns. All throw StoreError where the file fails.
class SweepStore {
 public:
  // What ran when an earlier process ended is `interrupted` from here on.
  explicit SweepStore(const std::string& file);
  ~SweepStore();
  SweepStore(const SweepStore&) = delete;
  SweepStore& operator=(const SweepStore&) = delete;

  struct Added {
    enum class What : std::uint8_t { added, known, full };
    What what = What::added;
    StoredSweep sweep = {};  // the earlier one where `known`: same key; none where `full`
    bool same = true;        // whether the earlier sweep's arguments are these
  };
  // `key`: an Idempotency-Key; empty: none.
  Added add(const std::vector<std::string>& arguments, const std::string& key, std::size_t queued_max);

  std::optional<StoredSweep> find(const std::string& id) const;
  // Newest first; of those that are older than `after`, which exists, where given.
  std::vector<StoredSweep> list(std::size_t limit, const std::optional<std::string>& after) const;
  // Of a sweep that has ended.
  std::optional<std::string> result(const std::string& id) const;

  std::size_t queued() const;
  // Stands as the message of each queued sweep; empty: nothing. Gone with this process.
  void say_of_queued(const std::string& message);
  // Stands as the message of a sweep that has ended for as long as its end is not stored; likewise.
  void say_of_ended(const std::string& id, const std::string& message);
  // Throws where nothing can be written now. Writes once a second at most: in between it says the same again.
  void probe();

  // The oldest queued one becomes running. A document that it had from before an interruption is no more.
  std::optional<StoredSweep> take();
  // What a running sweep said of its device when it began; kept as its cells are.
  void begin(const std::string& id, const std::string& device, const std::string& line);
  // All of it or nothing; may be tried again. Of a sweep that is done what was kept stays, and that of the
  // one that was done on its device before goes.
  void end(const std::string& id, const SweepEnd& end);
  // An interrupted one becomes queued again; false where it is not interrupted.
  bool resume(const std::string& id);

  // Keeps each cell, in place of what was told of it before; returns those that are new or have changed.
  struct NewCell {
    std::string id;
    std::string document;
    std::string kept = {};  // what a resumed sweep is given of it
  };
  std::vector<StoredCell> add_cells(const std::string& sweep, const std::vector<NewCell>& cells);
  // With numbers beyond `after`, in their order.
  std::vector<StoredCell> cells(const std::string& sweep, std::int64_t after) const;
  // What was kept of a sweep that has not ended, was interrupted, or was the last to be done on its device:
  // the last of each cell.
  std::vector<std::string> kept(const std::string& sweep) const;
  // The sweeps that were done last on each device, and before those the last that ended well, without its
  // cells. In the order in which they were accepted.
  struct Newest {
    std::string id;
    std::string device;
    std::string began;  // the line
    std::optional<int> exit_code;
    std::int64_t ended_unix_seconds = 0;
  };
  std::vector<Newest> newest() const;
  // A queued one becomes cancelled; false where it is not queued.
  bool cancel(const std::string& id);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace graphbench::serve
