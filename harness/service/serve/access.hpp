// Answers only requests with the token or, if no token is configured, requests to a loopback name. A page of
// another origin may change nothing. Also decides how many bytes of a body are read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/service/net/http.hpp"

namespace graphbench::serve {

struct Access {
  std::string token;
};

std::optional<net::Response> refusal_of(const net::Request& request, const Access& access);

// The body of a refused request is not read. POST /v1/compare contains documents: its limit is
// `compare_bytes_max`. During one such request another gets a 503 at once, and its body is not read.
net::Admit make_admission(const Access& access, std::uint64_t compare_bytes_max);

}  // namespace graphbench::serve
