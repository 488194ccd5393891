// Decides which requests are answered: requests with the token or, without a configured token, to a loopback
// name. A page of another origin may change nothing. Also decides how much of a body is read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/service/net/http.hpp"

namespace graphbench::serve {

struct Access {
  std::string token;  // empty: no token is needed
};

// The refusal; absent if the request may be answered.
std::optional<net::Response> refusal_of(const net::Request& request, const Access& access);

// The body of a refused request is not read. Bodies of comparisons contain documents and take long, so they
// have a limit of their own, and are read one at a time: the request holds the turn, and a request without
// the turn is answered without its body. All other bodies are small.
net::Admit make_admission(const Access& access, std::uint64_t compare_bytes_max);

}  // namespace graphbench::serve
