// Sends a sweep's events to the clients that follow the sweep: first the past events, then new ones.
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

namespace graphbench::service {

// Shares documents between clients by weak pointers: the last client frees a document. Not thread-safe.
class SharedDocuments {
 public:
  using Document = std::shared_ptr<const std::string>;

  // Returns the document with this name, made by `make` unless a client is still receiving it. Equal names
  // must mean equal documents.
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

  void forget(const std::string& name) { documents_.erase(name); }

 private:
  std::map<std::string, std::weak_ptr<const std::string>> documents_;
};

// Events are `progress`, `cell` and `done`. A `cell` has an id, which a client sends back to continue after
// that cell. Thread-safe. Adding an event never waits for a client.
class SweepFeed {
 public:
  // The store must outlive the feed.
  SweepFeed(const SweepStore& store, std::size_t followers_max)
      : store_(store), followers_max_(followers_max) {}
  SweepFeed(const SweepFeed&) = delete;
  SweepFeed& operator=(const SweepFeed&) = delete;
  ~SweepFeed() = default;

  void tell_progress(const std::string& id, const std::string& document);
  // Called after the cells are stored.
  void tell_cells(const std::string& id, const std::vector<StoredCell>& cells);
  // Called after the sweep's end is stored.
  void tell_done(const std::string& id);

  struct Following {
    SharedDocuments::Document past;      // the cells with numbers above `after`; clients share the text
    std::shared_ptr<BodyStream> stream;  // the progress, then new events until the sweep has ended
  };
  // Absent if `followers_max` clients already follow sweeps. The sweep must exist.
  std::optional<Following> follow(const std::string& id, std::int64_t after);
  std::size_t followers();

 private:
  using Bytes = BodyStream::Bytes;
  struct Follower {
    std::string id;
    std::int64_t told = 0;  // the number of the last sent cell
    std::shared_ptr<BodyStream> stream;
  };

  std::string past_of(const std::string& id, std::int64_t after) const;
  void tell(const std::string& id, const Bytes& bytes);
  void forget_the_gone();

  const SweepStore& store_;
  std::mutex mutex_;
  std::vector<Follower> followers_;
  const std::size_t followers_max_;
  std::string running_;  // the sweep that `progress_` belongs to
  Bytes progress_;       // the last progress event of that sweep
  SharedDocuments past_;
};

}  // namespace graphbench::service
