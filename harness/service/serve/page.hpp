// Bodies that were made when the service was built: the web page and the description of the API.
#pragma once

#include <string_view>

#include "harness/service/net/http.hpp"

namespace graphbench::serve {

struct Page {
  std::string_view html;  // empty if the page was not built in
  std::string_view
      policy;  // the Content-Security-Policy, which names the page's script and style by their hashes
};

extern const Page built_in_page;

// The text of a binary without the page, with what would help.
inline constexpr const char* no_page =
    "the web page was not built into this binary. Install nodejs (18 or newer) and npm, then build with "
    "-DGRAPHBENCH_PAGE=ON";

// The page, or a line that says how to get it.
net::Response page_response(const Page& page);

extern const char* const openapi_document;

}  // namespace graphbench::serve
