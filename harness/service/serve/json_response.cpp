// Every body ends with a line break, for people with curl.
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

Refused::Refused(unsigned status, std::string why, int retry_after)
    : status_(status), why_(std::move(why)), retry_after_(retry_after) {}

net::Response Refused::response() const {
  net::Response response = refusal(status_, why_);
  if (retry_after_ > 0) response.headers.emplace_back("Retry-After", std::to_string(retry_after_));
  return response;
}

}  // namespace graphbench::serve
