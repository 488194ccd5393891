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

// The body of a refused request is not read. The body of a comparison contains documents and takes long, so
// it has a size limit of its own. Only one is read at a time: while a comparison is in progress, another one
// is answered at once, and its body is not read. All other bodies are small.
net::Admit make_admission(const Access& access, std::uint64_t compare_bytes_max);

}  // namespace graphbench::serve
