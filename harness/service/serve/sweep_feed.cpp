// Sends events to followers. One lock guards events and followers, so that no follower misses an event.
#include "harness/service/serve/sweep_feed.hpp"

#include <algorithm>

#include "graphs/base/error.hpp"
#include "harness/service/report/numbers_json.hpp"
#include "harness/service/serve/json_response.hpp"

namespace graphbench::service {
namespace {

using Bytes = BodyStream::Bytes;

// The limit of bytes that wait for one client: more than all cells that one worker reports.
constexpr std::size_t waiting_bytes_max = 4 * 1024 * 1024;

// `document` must not have line breaks, because a line break would end the event.
std::string event_of(const char* name, const std::string& document, std::int64_t number = 0) {
  const std::string id = number > 0 ? "id: " + std::to_string(number) + "\n" : "";
  return id + "event: " + name + "\ndata: " + document + "\n\n";
}

// With the cell's numbers as pages show them, also of a cell that an older graphbench has stored.
std::string event_of(const StoredCell& cell, const std::string& sweep) {
  try {
    return event_of("cell", with_row(cell.document, "cell " + cell.id), cell.number);
  } catch (const InputError& error) {
    throw DamagedDocument(sweep, error.what());
  }
}

Bytes bytes_of(std::string event) {
  return std::make_shared<const std::string>(std::move(event));
}

bool has_ended(const StoredSweep& sweep) {
  return sweep.state != SweepState::queued && sweep.state != SweepState::running;
}

}  // namespace

void SweepFeed::tell_progress(const std::string& id, const std::string& document) {
  const std::scoped_lock lock(mutex_);
  running_ = id;
  progress_ = bytes_of(event_of("progress", document));
  tell(id, progress_);
}

void SweepFeed::tell_cells(const std::string& id, const std::vector<StoredCell>& cells) {
  const std::scoped_lock lock(mutex_);
  for (const StoredCell& cell : cells) {
    const Bytes bytes = bytes_of(event_of(cell, id));
    // A client that connected after the cell was stored has received it already.
    std::erase_if(followers_, [&](Follower& follower) {
      if (follower.id != id || follower.told >= cell.number) return false;
      follower.told = cell.number;
      return !follower.stream->put(bytes);
    });
  }
}

void SweepFeed::tell_done(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  if (running_ == id) running_.clear();
  if (std::ranges::none_of(followers_, [&](const Follower& each) { return each.id == id; })) return;
  std::optional<StoredSweep> sweep;
  try {
    sweep = store_.find(id);
  } catch (const Error&) {  // the stream ends without `done`, so the client asks again
  }
  if (sweep) tell(id, bytes_of(event_of("done", text_of(json_of(*sweep)))));
  std::erase_if(followers_, [&](const Follower& follower) {
    if (follower.id == id) follower.stream->end();
    return follower.id == id;
  });
}

std::optional<SweepFeed::Following> SweepFeed::follow(const std::string& id, std::int64_t after) {
  const std::scoped_lock lock(mutex_);
  forget_the_gone();
  if (followers_.size() >= followers_max_) return std::nullopt;
  const std::optional<StoredSweep> sweep = store_.find(id);
  const std::int64_t last = std::max(store_.last_cell(id), after);
  const std::string name = id + " " + std::to_string(after) + " " + std::to_string(last);
  Following following{past_.get(name, [&] { return past_of(id, after); }), nullptr};
  std::deque<Bytes> now;
  if (running_ == id) now.push_back(progress_);
  const bool ended = !sweep || has_ended(*sweep);
  if (sweep && ended) now.push_back(bytes_of(event_of("done", text_of(json_of(*sweep)))));
  following.stream = std::make_shared<BodyStream>(std::move(now), waiting_bytes_max, ":\n\n");
  if (ended) {
    following.stream->end();
  } else {
    followers_.push_back({id, last, following.stream});
  }
  return following;
}

std::size_t SweepFeed::followers() {
  const std::scoped_lock lock(mutex_);
  forget_the_gone();
  return followers_.size();
}

std::string SweepFeed::past_of(const std::string& id, std::int64_t after) const {
  std::string past = ": graphbench\n\n";
  const std::vector<StoredCell> cells = store_.cells(id, after);
  past.reserve(document_bytes(cells) + 64 * cells.size());
  for (const StoredCell& cell : cells) past += event_of(cell, id);
  return past;
}

void SweepFeed::tell(const std::string& id, const Bytes& bytes) {
  std::erase_if(followers_,
                [&](const Follower& follower) { return follower.id == id && !follower.stream->put(bytes); });
}

void SweepFeed::forget_the_gone() {
  std::erase_if(followers_, [](const Follower& follower) { return !follower.stream->listened_to(); });
}

}  // namespace graphbench::service
