// Answers as JSON; what is refused says why.
#pragma once

#include <string>

#include "harness/service/net/http.hpp"

namespace graphbench::serve {

net::Response json_response(unsigned status, std::string document);
// {"error": "why"}
net::Response refusal(unsigned status, const std::string& why);

}  // namespace graphbench::serve
