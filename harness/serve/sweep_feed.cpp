// One lock around what has happened and who follows, so that no event falls between the two.
#include "harness/serve/sweep_feed.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "harness/serve/sweep_json.hpp"

namespace graphbench::serve {
namespace {

using Bytes = net::BodyStream::Bytes;

// Enough for a client that pauses, little enough for two thousand of them.
constexpr std::size_t waiting_bytes_max = 256 * 1024;

// A document has no line breaks: they would end the event.
std::string event_of(const char* name, const std::string& document, std::int64_t number = 0) {
  const std::string id = number > 0 ? "id: " + std::to_string(number) + "\n" : "";
  return id + "event: " + name + "\ndata: " + document + "\n\n";
}

bool has_ended(const StoredSweep& sweep) {
  return sweep.state != SweepState::queued && sweep.state != SweepState::running;
}

}  // namespace

class SweepFeed::Impl {
 public:
  explicit Impl(const SweepStore& store) : store_(store) {}

  void tell_progress(const std::string& id, const std::string& document) {
    const std::scoped_lock lock(mutex_);
    running_ = id;
    progress_ = event_of("progress", document);
    tell(id, progress_);
  }

  void tell_cells(const std::string& id, const std::vector<StoredCell>& cells) {
    const std::scoped_lock lock(mutex_);
    for (const StoredCell& cell : cells) {
      const auto bytes = std::make_shared<const std::string>(event_of("cell", cell.document, cell.number));
      // Somebody who came after the store had it was told already.
      std::erase_if(followers_, [&](Follower& follower) {
        if (follower.id != id || follower.told >= cell.number) return false;
        follower.told = cell.number;
        return !follower.stream->put(bytes);
      });
    }
  }

  void tell_done(const std::string& id) {
    const std::scoped_lock lock(mutex_);
    if (running_ == id) running_.clear();
    if (std::ranges::none_of(followers_, [&](const Follower& each) { return each.id == id; })) return;
    const auto sweep = store_.find(id);
    if (sweep) tell(id, event_of("done", text_of(json_of(*sweep))));
    std::erase_if(followers_, [&](const Follower& follower) {
      if (follower.id == id) follower.stream->end();
      return follower.id == id;
    });
  }

  std::shared_ptr<net::BodyStream> follow(const std::string& id, std::int64_t after) {
    const std::scoped_lock lock(mutex_);
    forget_the_gone();
    if (followers_.size() >= followers_max) return nullptr;
    const std::optional<StoredSweep> sweep = store_.find(id);
    std::string past = ": graphbench\n\n";
    for (const StoredCell& cell : store_.cells(id, after)) {
      past += event_of("cell", cell.document, cell.number);
      after = cell.number;
    }
    if (running_ == id) past += progress_;
    const bool ended = !sweep || has_ended(*sweep);
    if (sweep && ended) past += event_of("done", text_of(json_of(*sweep)));
    auto stream = std::make_shared<net::BodyStream>(std::move(past), waiting_bytes_max, ":\n\n");
    if (ended) {
      stream->end();
    } else {
      followers_.push_back({id, after, stream});
    }
    return stream;
  }

  std::size_t followers() {
    const std::scoped_lock lock(mutex_);
    forget_the_gone();
    return followers_.size();
  }

 private:
  struct Follower {
    std::string id;
    std::int64_t told = 0;  // the last cell's number
    std::shared_ptr<net::BodyStream> stream;
  };

  void tell(const std::string& id, const std::string& event) {
    const auto bytes = std::make_shared<const std::string>(event);
    std::erase_if(followers_, [&](const Follower& follower) {
      return follower.id == id && !follower.stream->put(bytes);
    });
  }

  void forget_the_gone() {
    std::erase_if(followers_, [](const Follower& follower) { return !follower.stream->listened_to(); });
  }

  const SweepStore& store_;
  std::mutex mutex_;
  std::vector<Follower> followers_;
  std::string running_;   // the sweep that `progress_` is of
  std::string progress_;  // its last such event
};

SweepFeed::SweepFeed(const SweepStore& store) : impl_(std::make_unique<Impl>(store)) {}
SweepFeed::~SweepFeed() = default;

void SweepFeed::tell_progress(const std::string& id, const std::string& document) {
  impl_->tell_progress(id, document);
}

void SweepFeed::tell_cells(const std::string& id, const std::vector<StoredCell>& cells) {
  impl_->tell_cells(id, cells);
}

void SweepFeed::tell_done(const std::string& id) {
  impl_->tell_done(id);
}

std::shared_ptr<net::BodyStream> SweepFeed::follow(const std::string& id, std::int64_t after) {
  return impl_->follow(id, after);
}

std::size_t SweepFeed::followers() {
  return impl_->followers();
}

}  // namespace graphbench::serve
