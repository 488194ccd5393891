// Who may ask: whoever has the token; without one, whoever comes to loopback under its own name. No page of
// another origin changes anything.
#pragma once

#include <optional>
#include <string>

#include "harness/net/http.hpp"

namespace graphbench::serve {

// The refusal, or nothing where the request may be answered. `token` empty: none is asked for.
std::optional<net::Response> refusal_of(const net::Request& request, const std::string& token);

}  // namespace graphbench::serve
