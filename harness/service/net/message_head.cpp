// Reads and writes heads of HTTP messages. Splits targets by RFC 9112, section 3.2, and does not decode them.
#include <algorithm>
#include <array>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/write.hpp>
#include <cctype>
#include <sstream>

#include "graphs/base/text.hpp"
#include "harness/service/net/connection.hpp"

namespace graphbench::service {
namespace {

constexpr std::array<std::string_view, 8> single_headers = {
    "authorization",   "content-type",  "expect", "host",
    "idempotency-key", "last-event-id", "origin", "sec-fetch-site"};

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

// The scheme of a target in absolute form, "http://" or "https://"; empty for other targets.
std::string_view scheme_of(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (boost::beast::iequals(target.substr(0, scheme.size()), scheme)) return scheme;
  }
  return {};
}

void set_target(Request& request, std::string_view target) {
  const std::string_view scheme = scheme_of(target);
  if (!scheme.empty()) {
    target.remove_prefix(scheme.size());
    const std::size_t end = std::min(target.find_first_of("/?"), target.size());
    request.headers["host"] = std::string(target.substr(0, end));
    target.remove_prefix(end);
  }
  const std::size_t question = std::min(target.find('?'), target.size());
  const std::string_view path = target.substr(0, question);
  request.path = std::string(path.empty() && !scheme.empty() ? std::string_view("/") : path);
  if (question < target.size()) request.query = std::string(target.substr(question + 1));
}

}  // namespace

std::optional<Request> request_of(const boost::beast::http::request_header<>& head) {
  Request request;
  request.method = std::string(head.method_string());
  for (const auto& field : head) {
    const std::string name = lower_case(std::string_view(field.name_string()));
    const auto [at, is_new] = request.headers.insert_or_assign(name, std::string(field.value()));
    if (!is_new && contains(single_headers, name)) return std::nullopt;
  }
  set_target(request, std::string_view(head.target()));
  return request;
}

std::string message_head_of(const Response& response, bool keep_alive) {
  namespace http = boost::beast::http;
  http::response<http::empty_body> message;
  message.version(11);
  message.result(response.status);
  message.set(http::field::server, "graphbench");
  message.set(http::field::content_type, response.content_type);
  message.set("X-Content-Type-Options", "nosniff");
  for (const auto& [name, value] : response.headers) message.set(name, value);
  message.keep_alive(keep_alive);
  if (!response.stream) message.content_length(response.body ? response.body->size() : 0);
  std::ostringstream text;
  text << message.base();
  return std::move(text).str();
}

}  // namespace graphbench::service
