// What the head of a request decides: how much of a body is read, if any.
#pragma once

#include <cstdint>

#include "harness/service/net/http.hpp"
#include "harness/service/serve/access.hpp"

namespace graphbench::serve {

// A request that is refused sends no body: the API answers the head alone. Comparisons carry documents and
// take long: their bodies have a limit of their own, and only one is read at a time, so that memory is
// bounded. The request holds its turn; one without a turn sends no body either. All other bodies are small.
net::Admit make_admission(const Access& access, std::uint64_t compare_bytes_max);

}  // namespace graphbench::serve
