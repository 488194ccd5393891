// A small HTTP/1.1 server on one thread of its own: Boost.Asio and Beast, with limits on everything a
// client can make long, many or slow.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "harness/service/net/http.hpp"
#include "harness/service/net/listen_address.hpp"
#include "harness/service/net/tls.hpp"

namespace graphbench::net {

struct ServerLimits {
  std::uint32_t header_bytes_max = 8 * 1024;  // longer: 431
  std::uint64_t body_bytes_max = 0;           // longer: 413; where no Admit decides
  // Who comes when there are as many takes the place of the connection that has taken no step for longest, be
  // it to ask or to read an answer; event streams and what is answered at length are left alone. Where all
  // have done so within `quiet_min`, nothing is accepted until then, or until one ends: clients wait in the
  // system's queue.
  std::size_t connections_max = 256;
  // Of one client's address, an IPv6 /64 counting as one; who has as many takes the place of one of its own
  // in the same way, or is closed. 0: where only this machine reaches the server connections_max, for all its
  // clients have one address; elsewhere an eighth of that, and no fewer than 16.
  std::size_t client_connections_max = 0;
  std::chrono::milliseconds quiet_min{1'000};
  // From a request's first byte to its last, and a second more for each MiB it announces; for a handshake;
  // and for a response.
  std::chrono::milliseconds request_max{10'000};
  std::chrono::milliseconds idle_max{30'000};    // between two requests of a connection
  std::chrono::milliseconds keep_alive{15'000};  // after which a stream with nothing to tell says so
};

struct ServerSettings {
  ListenAddress address;
  ServerLimits limits;
  std::shared_ptr<TlsContext> tls = nullptr;  // null: plain HTTP
  Admit admit = nullptr;                      // empty: every request, up to limits.body_bytes_max
  // Called first on each of the server's threads, to put it on a CPU.
  std::function<void()> on_thread = [] {};
};

// Serves from construction to destruction. `handler` and `admit` are called on the server's thread.
class HttpServer {
 public:
  // Throws Error(io) where it cannot listen there.
  HttpServer(ServerSettings settings, Handler handler);
  // Ends every connection at once, after what is answered later.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // With the port that was bound, where the settings left it to the system.
  const ListenAddress& address() const noexcept;

  // For connections from now on. From any thread.
  void set_tls(std::shared_ptr<TlsContext> tls);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace graphbench::net
