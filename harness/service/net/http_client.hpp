// Sends one request to another server, with one deadline for everything.
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
  std::string path;  // appended to the URL's path; begins with a slash
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::chrono::milliseconds deadline{15'000};
};

struct ClientResponse {
  unsigned status = 0;
  std::string body;  // at most the first 64 KiB
};

// Blocks. Does not follow redirects and uses no proxy. Throws Error(io) if there is no response: unknown
// host, refused connection, certificate that the system does not trust, deadline passed.
ClientResponse send(const ClientRequest& request);

}  // namespace graphbench::net
