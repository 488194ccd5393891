// Chooses the connections that make room. A client that is slow on purpose holds its connection for as long
// as one that waits for nothing, so what counts is how long a connection has been without progress.
#include "harness/service/net/connections.hpp"

#include <algorithm>
#include <utility>

namespace graphbench::service {
namespace {

using Clock = std::chrono::steady_clock;

// The limits of bytes that are being sent and received count only bodies of at least this size. Smaller
// bodies need no limit on their sum, because connections_max limits their number.
constexpr std::size_t large_bytes = 64 * 1024;

constexpr int new_head_rank = 3;

}  // namespace

Connections::Entry Connections::add(boost::beast::tcp_stream& stream) {
  const auto place = open.emplace(open.end());
  place->stream = &stream;
  take_place(*place);
  return {&*place, [this, place](OpenConnection*) {
            if (place->has_place) --places;
            open.erase(place);
            changed();
          }};
}

void Connections::enter(OpenConnection& connection, Phase phase) {
  connection.phase = phase;
  connection.since = Clock::now();
  if (phase != Phase::transfer) connection.body_bytes = 0;
  if (phase == Phase::idle) changed();
}

bool Connections::take_place(OpenConnection& connection) {
  if (!connection.has_place && !is_full() && !connection.closed) {
    connection.has_place = true;
    ++places;
  }
  return connection.has_place;
}

bool Connections::make_room() {
  if (!is_full()) return true;
  OpenConnection* found = first_to_close(
      [this](const OpenConnection& each) { return each.has_place && rank_of(each) != new_head_rank; });
  if (found == nullptr && open.size() >= limits.connections_max) {
    found = first_to_close([](const OpenConnection&) { return true; });
  }
  if (found != nullptr) close(*found);
  return found != nullptr;
}

bool Connections::may_wait(const OpenConnection& connection) const {
  if (connection.has_place) return true;
  const auto waiting = std::ranges::count_if(open, [](const OpenConnection& each) {
    return !each.has_place && !each.closed && each.phase == Phase::working;
  });
  return static_cast<std::size_t>(waiting) <= limits.connections_kept / 2;
}

bool Connections::has_room_for(const std::string& body) const {
  if (body.size() < large_bytes || bodies.empty() || bodies.contains(&body)) return true;
  return body_bytes + body.size() <= limits.sending_bytes_max;
}

bool Connections::may_receive(const OpenConnection& connection) {
  if (connection.body_bytes < large_bytes) return true;
  const auto is_other = [&](const OpenConnection& each) {
    return &each != &connection && each.body_bytes >= large_bytes;
  };
  std::uint64_t others = 0;
  for (const OpenConnection& each : open) others += is_other(each) ? each.body_bytes : 0;
  if (others == 0 || others + connection.body_bytes <= limits.receiving_bytes_max) return true;
  OpenConnection* const found = first_to_close(is_other);
  if (found != nullptr) close(*found);
  return found != nullptr;
}

std::shared_ptr<void> Connections::count_answer(std::shared_ptr<const std::string> body) {
  const bool large = body->size() >= large_bytes;
  ++answers;
  if (large && ++bodies[body.get()] == 1) body_bytes += body->size();
  return {nullptr, [this, large, body = std::move(body)](void*) {
            --answers;
            if (large && --bodies[body.get()] == 0) {
              bodies.erase(body.get());
              body_bytes -= body->size();
            }
            changed();
          }};
}

// Heads that have just begun come last, and not at once: they are most likely those of clients who send what
// they have, and each new client would otherwise close the one before it while slow transfers stay. While a
// kept connection is free they stay too: it lets the new client in, and one of them may be about to ask for
// what is vital.
std::optional<int> Connections::rank_of(const OpenConnection& connection) const {
  const Clock::duration age = Clock::now() - connection.since;
  const bool slow = age > limits.slow_after;
  boost::system::error_code ignored;
  if (connection.closed) return std::nullopt;
  switch (connection.phase) {
    case Phase::idle:  // with unread bytes, it has begun a request
      return connection.stream->socket().available(ignored) == 0 ? std::optional(0) : std::nullopt;
    case Phase::head:
      return slow ? std::optional(1) : age > limits.head_min ? std::optional(new_head_rank) : std::nullopt;
    case Phase::transfer:
      return slow ? std::optional(2) : std::nullopt;
    case Phase::working:
      break;
  }
  return std::nullopt;
}

OpenConnection* Connections::first_to_close(const std::function<bool(const OpenConnection&)>& may_be) {
  OpenConnection* found = nullptr;
  std::pair<int, Clock::time_point> first;
  for (OpenConnection& each : open) {
    if (!may_be(each)) continue;
    const std::optional<int> rank = rank_of(each);
    if (!rank || (found != nullptr && first < std::pair(*rank, each.since))) continue;
    found = &each;
    first = {*rank, each.since};
  }
  return found;
}

// Gives the place back at once: the coroutine ends later, when its read or write has failed.
void Connections::close(OpenConnection& connection) {
  connection.stream->close();
  connection.closed = true;
  connection.body_bytes = 0;
  if (std::exchange(connection.has_place, false)) --places;
}

}  // namespace graphbench::service
