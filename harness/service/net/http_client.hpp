// Sends one request to another server, with one deadline for everything.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "harness/service/net/addresses.hpp"

namespace graphbench::service {

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
  std::string body;  // at most 64 KiB
};

// Blocks. Does not follow redirects and uses no proxy. Throws Error(io) for an unknown host, a refused
// connection, a certificate that the system does not trust, a passed deadline and a body above 64 KiB.
ClientResponse send(const ClientRequest& request);

}  // namespace graphbench::service
