// One client's connection: reads requests, passes them on, writes the answers, and goes on where one goes on.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>

#include "harness/service/net/body_stream.hpp"
#include "harness/service/net/byte_stream.hpp"
#include "harness/service/net/http_server.hpp"

namespace graphbench::net {

struct ConnectionContext {
  ServerLimits limits;
  Handler handler;
  Admit admit;
  // On another thread, one piece of work after the other.
  std::function<void(std::function<void()> work)> run_aside;
  // Whether a connection may stay open between two requests.
  std::function<bool()> may_linger;
  // Around the writing of an answer. Where one goes on as a stream, the head alone counts.
  std::function<void()> answer_begins;
  std::function<void()> answer_ended;
};

// Lives until the client leaves, a limit is reached or its executor stops; `slot` is released then, last of
// all. `context` must outlive it. `tls` null: plain HTTP.
void serve_connection(boost::asio::ip::tcp::socket socket, const std::shared_ptr<TlsContext>& tls,
                      const ConnectionContext& context, std::shared_ptr<void> slot);

// The head was sent. `slot` is held until the end.
void send_body(ByteStream stream, std::shared_ptr<BodyStream> body, const ServerLimits& limits,
               std::shared_ptr<void> slot);

}  // namespace graphbench::net
