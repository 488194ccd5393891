// GET /v1/sweeps: a page of what was accepted, newest first, and where the next one is.
#pragma once

#include <cstddef>
#include <string>

#include "harness/service/net/http.hpp"
#include "harness/service/serve/sweep_runner.hpp"
#include "harness/service/serve/sweep_store.hpp"

namespace graphbench::serve {

inline constexpr std::size_t page_sweeps_default = 100;
inline constexpr std::size_t page_sweeps_max = 1000;

// `query`: "limit=N&after=ID", each once at most; after: the last sweep of the page before. Sweeps that are
// accepted meanwhile move no page. Throws InputError for any other query.
net::Response list_sweeps(const SweepStore& store, const SweepRunner& runner, const std::string& query);

}  // namespace graphbench::serve
