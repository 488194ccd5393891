// One request to another server, with one deadline for all of it.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "harness/service/net/addresses.hpp"

namespace graphbench::net {

struct ClientRequest {
  std::string method = "GET";
  Url url;
  std::string path;  // after the URL's own; begins with a slash
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::chrono::milliseconds deadline{15'000};
};

struct ClientResponse {
  unsigned status = 0;
  std::string body;  // at most 64 KiB of it
};

// Blocks. Does not follow redirects and uses no proxy. Throws Error(io) if there is no answer: unknown
// host, refused connection, untrusted certificate (the system's decide), deadline.
ClientResponse send(const ClientRequest& request);

}  // namespace graphbench::net
