// Bodies that many clients are sent as they are: the web page, the description of the API, /metrics.
#pragma once

#include <chrono>
#include <memory>
#include <string>
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

extern const char* const openapi_document;

// A client that scrapes while others are being sent the same cells is sent the same bytes: two hundred copies
// of ten thousand series would be hundreds of megabytes. For one thread.
class SharedScrape {
 public:
  using Text = std::shared_ptr<const std::string>;

  template <typename Rest>
  Text body(const Text& cells, Rest&& rest) {
    const auto now = std::chrono::steady_clock::now();
    Text body = body_.lock();
    if (body && cells_ == cells && now < made_at_ + std::chrono::milliseconds(250)) return body;
    body = std::make_shared<const std::string>(*cells + rest());
    body_ = body;
    cells_ = cells;
    made_at_ = now;
    return body;
  }

 private:
  std::weak_ptr<const std::string> body_;  // gone when no client is being sent it
  Text cells_;
  std::chrono::steady_clock::time_point made_at_;
};

}  // namespace graphbench::serve
