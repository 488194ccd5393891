// Answers with the page, and with headers that keep browsers from running or loading anything else.
#include "harness/service/serve/page.hpp"

#include <memory>
#include <string>

namespace graphbench::serve {

net::Response page_response(const Page& page) {
  if (page.html.empty()) {
    return net::text_response(
        200, std::string("graphbench serve: ") + no_page + ". The API is here: /openapi.json describes it");
  }
  return {.content_type = "text/html; charset=utf-8",
          .body = std::make_shared<const std::string>(page.html),
          .headers = {{"Content-Security-Policy", std::string(page.policy)},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cross-Origin-Opener-Policy", "same-origin"},
                      {"Cross-Origin-Resource-Policy", "same-origin"},
                      {"Cache-Control", "no-cache"}}};
}

}  // namespace graphbench::serve
