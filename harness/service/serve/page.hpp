// The web page at /: dashboards/page as one file, built into the binary so that it is the running service's.
#pragma once

#include <string_view>

#include "harness/service/net/http.hpp"

namespace graphbench::serve {

struct Page {
  std::string_view html;  // empty where the page was not built in
  std::string_view
      policy;  // its Content-Security-Policy, which names its script and its style by their hashes
};

extern const Page built_in_page;

// The page, or a line that says how to get it.
net::Response page_response(const Page& page);

}  // namespace graphbench::serve
