// The rest of a connection whose answer goes on: sends what a BodyStream is given until either side ends.
#pragma once

#include <memory>

#include "harness/service/net/body_stream.hpp"
#include "harness/service/net/byte_stream.hpp"
#include "harness/service/net/http_server.hpp"

namespace graphbench::net {

// The head was sent. `slot` is held until the end.
void send_body(ByteStream stream, std::shared_ptr<BodyStream> body, const ServerLimits& limits,
               std::shared_ptr<void> slot);

}  // namespace graphbench::net
