// The shared state of one server's connections: their limits, their counts, and which of them a full server
// closes for a new client. Only the server's thread uses it.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "harness/service/net/http.hpp"
#include "harness/service/net/http_server.hpp"

namespace graphbench::service {

// What a connection waits for.
enum class Phase : std::uint8_t {
  idle,      // for another request, or for the client's end after the last response
  head,      // for a TLS handshake or the rest of a request's head
  transfer,  // for a client that sends a body or reads a response
  working,   // for a handler or an event; such a connection is never closed for another one
};

struct OpenConnection {
  boost::beast::tcp_stream* stream = nullptr;
  Phase phase = Phase::head;
  // The time when the phase began. A transfer begins again with each piece, so that a transfer that was fast
  // and has stalled is as slow as one that never was fast.
  std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
  bool has_place = false;        // one of connections_max, without those that are kept
  bool closed = false;           // its coroutine has not ended yet
  std::uint64_t body_bytes = 0;  // what has arrived of the body that is being received
};

struct Connections {
  using Entry = std::shared_ptr<OpenConnection>;

  ServerLimits limits;
  std::shared_ptr<TlsContext> tls;  // null: plain HTTP
  Handler handler;
  Admit admit;
  Router::Refuse refuse;
  // Returns the executor that runs Response::later; `brief` is Response::brief.
  std::function<boost::asio::any_io_executor(bool brief)> aside;
  // Called when a response was sent, when a connection has closed, and when a connection has become idle.
  std::function<void()> changed;

  std::list<OpenConnection> open;
  std::size_t places = 0;   // how many connections have a place
  std::size_t answers = 0;  // responses that are being sent; a BodyStream's bytes do not count
  // The large bodies that are being sent, each with its number of clients, and the sum of their bytes.
  std::map<const std::string*, std::size_t> bodies;
  std::uint64_t body_bytes = 0;

  // The entry exists until the returned pointer is released. `stream` must outlive it.
  Entry add(boost::beast::tcp_stream& stream);
  void enter(OpenConnection& connection, Phase phase);

  // True if every place is taken. A full server closes each connection after its response.
  bool is_full() const { return places >= limits.connections_max - limits.connections_kept; }
  // Gives the connection a place if it has none. Returns false if the server is full.
  bool take_place(OpenConnection& connection);
  // If the server is full, closes a connection that has a place, but no head that has just begun. If there is
  // none, and the kept connections are taken too, closes any. Returns false if there is none to close.
  bool make_room();
  // Connections without a place that wait for a handler may be half of the kept ones, so that a slow handler
  // leaves the other half to requests that are answered at once.
  bool may_wait(const OpenConnection& connection) const;

  // True if the body may be sent while the other large bodies are sent. A single body may have any size.
  bool has_room_for(const std::string& body) const;
  // True if the connection's body may be received further. If the large bodies together exceed their limit,
  // closes the slowest of the others. A single body may have any size.
  bool may_receive(const OpenConnection& connection);

  // Counts a response while it is being sent, until the pointer is released. `body` is not null.
  std::shared_ptr<void> count_answer(std::shared_ptr<const std::string> body);

 private:
  // The order in which connections are closed; absent if this one is not closed now.
  std::optional<int> rank_of(const OpenConnection& connection) const;
  OpenConnection* first_to_close(const std::function<bool(const OpenConnection&)>& may_be);
  void close(OpenConnection& connection);
};

}  // namespace graphbench::service
