// Decides which requests are answered: those with the token or, without a configured token, those to a
// loopback name. A page of another origin may change nothing. Decides too how much of a body is read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/service/net/http.hpp"

namespace graphbench::serve {

struct Access {
  std::string token;  // empty: none is needed
};

// The refusal; absent if the request may be answered.
std::optional<net::Response> refusal_of(const net::Request& request, const Access& access);

// The API answers only the head of a request that is refused. Comparisons carry documents and take long, so
// their bodies have a separate limit, and only one is read at a time. The request holds its turn; without
// one, its body is not read either. All other bodies are small.
net::Admit make_admission(const Access& access, std::uint64_t compare_bytes_max);

}  // namespace graphbench::serve
