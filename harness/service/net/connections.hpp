// What the connections of one server share. Used on the server's thread alone.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <functional>
#include <memory>

#include "harness/service/net/http_server.hpp"

namespace graphbench::net {

struct Connections {
  ServerLimits limits;
  std::shared_ptr<TlsContext> tls;  // null: plain HTTP
  Handler handler;
  Admit admit;
  // Where Response::later runs, one piece of work after the other.
  std::function<boost::asio::any_io_executor()> aside;
  // Called when an answer has been sent, and when a connection has ended.
  std::function<void()> changed;

  std::size_t open = 0;
  std::size_t answers = 0;  // that are being sent; of one that goes on as a stream, the head alone counts

  // A connection of a full server does not stay open between two requests.
  bool is_full() const { return open >= limits.connections_max; }
};

// Reads requests, passes them on, writes the answers, and goes on where one goes on: until the client leaves,
// a limit is reached or the socket's executor stops. `all` must outlive it.
void serve_connection(boost::asio::ip::tcp::socket socket, Connections& all);

}  // namespace graphbench::net
