// What the service remembers: every sweep it accepted, and what became of it. SQLite, one file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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

struct SweepEnd {
  SweepState state = SweepState::done;
  std::optional<int> exit_code;
  std::string message;
  std::optional<std::string> result;  // the document, whole
};

// Thread-safe. Every change is on disk when the call returns. All throw Error(io) where the file fails.
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
    std::string id;    // the earlier sweep's where `known`: same key; empty where `full`
    bool same = true;  // whether the earlier sweep's arguments are these
  };
  // `key`: an Idempotency-Key; empty: none.
  Added add(const std::vector<std::string>& arguments, const std::string& key, std::size_t queued_max);

  std::optional<StoredSweep> find(const std::string& id) const;
  std::vector<StoredSweep> list() const;  // newest first
  std::optional<std::string> result(const std::string& id) const;

  std::size_t queued() const;

  // The oldest queued one becomes running.
  std::optional<StoredSweep> take();
  void end(const std::string& id, const SweepEnd& end);
  // A queued one becomes cancelled; false where it is not queued.
  bool cancel(const std::string& id);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace graphbench::serve
