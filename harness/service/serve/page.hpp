// Responses that were built into the binary: the web page and the description of the API.
#pragma once

#include <string_view>

#include "harness/service/net/http.hpp"

namespace graphbench::service {

struct Page {
  std::string_view html;    // empty if the page was not built in
  std::string_view policy;  // the Content-Security-Policy, with the hashes of script and style
};

extern const Page built_in_page;

inline constexpr const char* no_page =
    "the web page was not built into this binary. Install nodejs (18 or newer) and npm, then build with "
    "-DGRAPHBENCH_PAGE=ON";

Response page_response(const Page& page);

extern const char* const openapi_document;

}  // namespace graphbench::service
