// Who may ask: whoever has the token, or a certificate; with neither asked for, whoever comes to loopback
// under its own name. No page of another origin changes anything.
#pragma once

#include <optional>
#include <string>

#include "harness/service/net/http.hpp"

namespace graphbench::serve {

struct Access {
  std::string token;          // empty: none is asked for
  bool certificates = false;  // TLS has let in none but clients with one
};

// The refusal, or nothing where the request may be answered.
std::optional<net::Response> refusal_of(const net::Request& request, const Access& access);

}  // namespace graphbench::serve
