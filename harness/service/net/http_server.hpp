// A small HTTP/1.1 server on a thread of its own, made of Boost.Asio and Beast, which limits requests.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "harness/service/net/addresses.hpp"
#include "harness/service/net/http.hpp"
#include "harness/service/net/tls.hpp"

namespace graphbench::net {

struct ServerLimits {
  std::uint32_t header_bytes_max = 8 * 1024;  // longer: 431
  std::uint64_t body_bytes_max = 0;           // a longer body is refused with 413, unless an Admit decides
  // Beyond it the connection that has been without a request for longest is closed. Where all have one, or
  // are streams, clients wait in the system's queue until one ends.
  std::size_t connections_max = 256;
  // The time limit from a request's first byte to its last, with a second more for each MiB that it
  // announces. The same limit holds for a handshake, and for each 64 KiB of an answer.
  std::chrono::milliseconds request_max{10'000};
  // The most bytes of large bodies that are being sent, each once for all its clients. Beyond it: 503.
  std::uint64_t sending_bytes_max = 64 * 1024 * 1024;
  std::chrono::milliseconds idle_max{30'000};    // between two requests of a connection
  std::chrono::milliseconds keep_alive{15'000};  // a stream that has nothing to send sends a comment then
};

struct ServerSettings {
  ListenAddress address;
  ServerLimits limits;
  std::shared_ptr<TlsContext> tls = nullptr;  // null: plain HTTP
  Admit admit = nullptr;                      // empty: every request, up to limits.body_bytes_max
  Router::Refuse refuse = text_response;      // how a server that is too busy answers
  // Is called first on each of the server's threads, to put it on a CPU.
  std::function<void()> on_thread = [] {};
};

// Serves from construction to destruction. `handler` and `admit` are called on the server's thread.
class HttpServer {
 public:
  // Throws Error(io) if it cannot listen there.
  HttpServer(ServerSettings settings, Handler handler);
  // Waits for pending answers, up to a second for those being written, then ends all connections.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // The address with the port that was bound, where the settings left it to the system.
  const ListenAddress& address() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace graphbench::net
