// Sends a sweep's events to the clients that follow it: first past ones, then new ones.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "harness/service/net/body_stream.hpp"
#include "harness/service/serve/sweep_store.hpp"

namespace graphbench::serve {

// Holds nothing itself: a document is freed with the last client that is sent it. Used by one thread.
class SharedDocuments {
 public:
  using Document = std::shared_ptr<const std::string>;

  // `name` says all that the document depends on. `make` makes it where no client is being sent it.
  template <typename Make>
  Document get(const std::string& name, Make&& make) {
    std::erase_if(documents_, [](const auto& each) { return each.second.expired(); });
    const auto known = documents_.find(name);
    Document document = known == documents_.end() ? nullptr : known->second.lock();
    if (document) return document;
    document = std::make_shared<const std::string>(make());
    documents_[name] = document;
    return document;
  }

  // Forgets the name, which is another document's from now on.
  void forget(const std::string& name) { documents_.erase(name); }

 private:
  std::map<std::string, std::weak_ptr<const std::string>> documents_;
};

// Events: `progress`, `cell` (with an id, which a client gives back to go on where it was), `done`.
// Thread-safe. Adding an event never waits for a client.
class SweepFeed {
 public:
  // The store outlives it. At most `followers_max` clients may follow.
  SweepFeed(const SweepStore& store, std::size_t followers_max)
      : store_(store), followers_max_(followers_max) {}
  SweepFeed(const SweepFeed&) = delete;
  SweepFeed& operator=(const SweepFeed&) = delete;
  ~SweepFeed() = default;

  void tell_progress(const std::string& id, const std::string& document);
  // Is called after the store has the cells.
  void tell_cells(const std::string& id, const std::vector<StoredCell>& cells);
  // Is called after the store has the end.
  void tell_done(const std::string& id);

  struct Following {
    SharedDocuments::Document past;           // cells with numbers beyond `after`, which clients share
    std::shared_ptr<net::BodyStream> stream;  // progress, cells, and so on until the sweep has ended
  };
  // Absent if `followers_max` clients follow already; the sweep must exist.
  std::optional<Following> follow(const std::string& id, std::int64_t after);
  std::size_t followers();

 private:
  using Bytes = net::BodyStream::Bytes;
  struct Follower {
    std::string id;
    std::int64_t told = 0;  // the last cell's number
    std::shared_ptr<net::BodyStream> stream;
  };

  std::string past_of(const std::string& id, std::int64_t after) const;
  void tell(const std::string& id, const Bytes& bytes);
  void forget_the_gone();

  const SweepStore& store_;
  std::mutex mutex_;
  std::vector<Follower> followers_;
  const std::size_t followers_max_;
  std::string running_;  // the sweep that `progress_` belongs to
  Bytes progress_;       // its last such event
  SharedDocuments past_;
};

}  // namespace graphbench::serve
