// Which requests are answered: those with the token, or over TLS with a client certificate; where neither is
// configured, those to a loopback name. A page of another origin may change nothing.
#pragma once

#include <optional>
#include <string>

#include "harness/service/net/http.hpp"

namespace graphbench::serve {

struct Access {
  std::string token;          // empty: none is needed
  bool certificates = false;  // TLS has checked a certificate of every client
};

// The refusal, or nothing where the request may be answered.
std::optional<net::Response> refusal_of(const net::Request& request, const Access& access);

}  // namespace graphbench::serve
