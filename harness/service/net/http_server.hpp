// A small HTTP/1.1 server on Boost.Asio and Beast, with its own thread, and with limits on requests.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "harness/service/net/addresses.hpp"
#include "harness/service/net/http.hpp"
#include "harness/service/net/tls.hpp"

namespace graphbench::service {

struct ServerLimits {
  std::uint32_t header_bytes_max = 8 * 1024;  // longer: 431
  std::uint64_t body_bytes_max = 0;  // a longer body is refused with 413, unless `admit` sets another limit
  // A full server closes a connection for each new client: the longest idle one, else the oldest unfinished
  // head, else the response or body whose current 64 KiB have taken longest, and longer than slow_after. A
  // head younger than that is closed last, only where the kept connections are taken too, and never before
  // head_min. If there is none to close, new clients wait in the listen queue.
  std::size_t connections_max = 256;
  // So many of them are kept for requests that are Admission::vital. Where all others are taken, another
  // request gets 503.
  std::size_t connections_kept = 0;
  // The time limit from a request's first byte to its last, plus one second for each MiB of Content-Length.
  // It is also the limit of a TLS handshake, and of each 64 KiB of a body or a response: their least rate.
  std::chrono::milliseconds request_max{10'000};
  std::chrono::milliseconds slow_after{1'000};
  std::chrono::milliseconds head_min{50};
  // The maximum sum of bodies of at least 64 KiB that are being sent; a body with many clients counts once. A
  // body that would exceed it gets 503, unless no other is being sent.
  std::uint64_t sending_bytes_max = 64 * 1024 * 1024;
  // The maximum sum of bodies of at least 64 KiB that are being received. A body that exceeds it closes the
  // slowest of the others if that one is slow, as above; else it gets 503, unless it is the only one.
  std::uint64_t receiving_bytes_max = 64 * 1024 * 1024;
  std::chrono::milliseconds idle_max{30'000};    // between two requests of a connection
  std::chrono::milliseconds keep_alive{15'000};  // a stream that was silent for this long sends a comment
};

struct ServerSettings {
  ListenAddress address;
  ServerLimits limits;
  std::shared_ptr<TlsContext> tls = nullptr;  // null: plain HTTP
  Admit admit = nullptr;                      // empty: admits every request, with limits.body_bytes_max
  Router::Refuse refuse = text_response;      // makes the 503 of a busy server
  // Called first on each of the server's threads, to set the CPUs that the thread may use.
  std::function<void()> on_thread = [] {};
};

// Serves from construction to destruction. `handler` and `admit` are called on the server's thread.
class HttpServer {
 public:
  // Throws Error(io) if it cannot listen at the address.
  HttpServer(ServerSettings settings, Handler handler);
  // Waits up to a second for responses being sent, ends all connections, and waits for calls of `later`.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // The bound address; if the settings gave port 0, with the port that the system chose.
  const ListenAddress& address() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace graphbench::service
