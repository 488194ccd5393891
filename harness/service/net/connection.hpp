// One client's connection: reads requests, hands them on, writes what comes back.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>

#include "harness/service/net/http_server.hpp"
#include "harness/service/net/places.hpp"

namespace graphbench::net {

struct ConnectionContext {
  ServerLimits limits;
  Handler handler;
  Admit admit;
  // On another thread, one piece of work after the other.
  std::function<void(std::function<void()> work)> run_aside;
  // Whether the server has a place to spare: a connection kept open between requests takes one.
  std::function<bool()> may_linger;
};

// Lives until the client leaves, a limit is reached, its place is taken away or its executor stops; `place`
// goes then, last of all.
// `context` must outlive it. `tls` null: plain HTTP.
void serve_connection(boost::asio::ip::tcp::socket socket, const std::shared_ptr<TlsContext>& tls,
                      const ConnectionContext& context, std::shared_ptr<Place> place);

}  // namespace graphbench::net
