// Routes requests by comparing paths part by part. Paths are not decoded, so an escape cannot hide a slash.
#include "harness/service/net/http.hpp"

#include <algorithm>

#include "graphs/base/text.hpp"

namespace graphbench::service {
namespace {

bool is_parameter(const std::string& part) {
  return part.size() > 2 && part.front() == '{' && part.back() == '}';
}

using Parameters = std::map<std::string, std::string>;

bool fits(const std::vector<std::string>& pattern, const std::vector<std::string>& path,
          Parameters& parameters) {
  if (pattern.size() != path.size()) return false;
  parameters.clear();
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (!is_parameter(pattern[i])) {
      if (pattern[i] != path[i]) return false;
    } else if (path[i].empty()) {
      return false;
    } else {
      parameters[pattern[i].substr(1, pattern[i].size() - 2)] = path[i];
    }
  }
  return true;
}

}  // namespace

std::string_view Request::header(const std::string& lower_case_name) const {
  const auto found = headers.find(lower_case_name);
  return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

std::string_view Request::media_type() const {
  const std::string_view type = header("content-type");
  return type.substr(0, type.find(';'));
}

Response text_response(unsigned status, const std::string& line) {
  return {.status = status, .body = std::make_shared<const std::string>(line + "\n")};
}

void Router::add(const std::string& method, const std::string& pattern, Handler handler) {
  routes_.push_back({method, pattern, split(pattern, '/'), std::move(handler)});
}

Response Router::operator()(Request& request) const {
  if (!request.path.starts_with('/')) return refuse_(404, "this path does not exist");
  const std::vector<std::string> path = split(request.path, '/');
  const std::string method = request.method == "HEAD" ? "GET" : request.method;
  std::string allowed;
  Parameters parameters;
  for (const Route& route : routes_) {
    if (!fits(route.parts, path, parameters)) continue;
    if (route.method == method) {
      request.parameters = parameters;
      return route.handler(request);
    }
    allowed += (allowed.empty() ? "" : ", ") + route.method + (route.method == "GET" ? ", HEAD" : "");
  }
  if (allowed.empty()) return refuse_(404, "this path does not exist");
  Response response = refuse_(405, "this path does not take " + request.method);
  response.headers.emplace_back("Allow", allowed);
  return response;
}

std::string Router::pattern_of(const std::string& path) const {
  if (!path.starts_with('/')) return "other";
  const std::vector<std::string> parts = split(path, '/');
  Parameters parameters;
  const auto found =
      std::ranges::find_if(routes_, [&](const Route& route) { return fits(route.parts, parts, parameters); });
  return found == routes_.end() ? "other" : found->pattern;
}

}  // namespace graphbench::service
