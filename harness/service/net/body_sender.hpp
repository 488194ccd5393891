// The rest of a connection whose answer goes on: sends what a BodyStream tells until one of the two leaves.
#pragma once

#include <memory>

#include "harness/service/net/body_stream.hpp"
#include "harness/service/net/client_stream.hpp"
#include "harness/service/net/http_server.hpp"

namespace graphbench::net {

// The head was sent. `place` is given back at the end.
void send_body(ClientStream stream, std::shared_ptr<BodyStream> body, const ServerLimits& limits,
               std::shared_ptr<void> place);

}  // namespace graphbench::net
