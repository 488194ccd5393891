// Which requests are answered: those with the token; where none is configured, those to a loopback name. A
// page of another origin may change nothing. And how much of a body is read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/service/net/http.hpp"

namespace graphbench::serve {

struct Access {
  std::string token;  // empty: none is needed
};

// The refusal, or nothing where the request may be answered.
std::optional<net::Response> refusal_of(const net::Request& request, const Access& access);

// A request that is refused sends no body: the API answers the head alone. Comparisons carry documents and
// take long: their bodies have a limit of their own, and only one is read at a time, so that memory is
// bounded. The request holds its turn; one without a turn sends no body either. All other bodies are small.
net::Admit make_admission(const Access& access, std::uint64_t compare_bytes_max);

}  // namespace graphbench::serve
