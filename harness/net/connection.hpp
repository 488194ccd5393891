// One client's connection: reads requests, hands them on, writes what comes back.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>

#include "harness/net/http_server.hpp"

namespace graphbench::net {

struct ConnectionContext {
  ServerLimits limits;
  Handler handler;
  // Whether the server has a place to spare: a connection kept open between requests takes one.
  std::function<bool()> may_linger;
  std::function<void()> on_end;
};

// Lives until the client leaves, a limit is reached or its executor stops. `context` must outlive it.
void serve_connection(boost::asio::ip::tcp::socket socket, const ConnectionContext& context);

}  // namespace graphbench::net
