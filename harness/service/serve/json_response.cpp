// A line end, for people with curl.
#include "harness/service/serve/json_response.hpp"

#include <utility>

#include "harness/service/serve/sweep_json.hpp"

namespace graphbench::serve {

net::Response json_response(unsigned status, std::string document) {
  net::Response response;
  response.status = status;
  response.content_type = "application/json";
  if (!document.ends_with('\n')) document += '\n';
  response.body = std::make_shared<const std::string>(std::move(document));
  return response;
}

net::Response refusal(unsigned status, const std::string& why) {
  return json_response(status, text_of({{"error", why}}));
}

}  // namespace graphbench::serve
