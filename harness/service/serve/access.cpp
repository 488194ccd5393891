// Decides which requests are answered. Compares tokens in constant time, so that response times reveal
// nothing about the token.
#include "harness/service/serve/access.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <boost/beast/core/string.hpp>

#include "harness/service/serve/json_response.hpp"

namespace graphbench::service {
namespace {

// Accepts no name but localhost: an attacker can make a name of their own resolve to loopback.
bool is_loopback_name(std::string_view host) {
  const std::size_t digits = host.find_last_not_of("0123456789");
  if (digits != std::string_view::npos && host[digits] == ':') host = host.substr(0, digits);
  if (boost::beast::iequals(host, "localhost")) return true;
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(host, error);
  return !error && address.is_v6() == bracketed && address.is_loopback();
}

// The token after the word "Bearer", which may have any case; empty for another scheme.
std::string_view bearer_token(std::string_view credentials) {
  constexpr std::string_view scheme = "bearer ";
  if (!boost::beast::iequals(credentials.substr(0, scheme.size()), scheme)) return {};
  return credentials.substr(std::min(credentials.find_first_not_of(' ', scheme.size()), credentials.size()));
}

// Most browsers send Sec-Fetch-Site, which is correct behind a proxy too. Other browsers send Origin, but not
// with GET.
bool is_of_another_origin(const Request& request) {
  const std::string_view site = request.header("sec-fetch-site");
  if (!site.empty()) return site != "same-origin" && site != "none";
  const std::string_view origin = request.header("origin");
  if (origin.empty()) return false;  // not a browser
  const std::size_t host = origin.find("://");
  return host == std::string_view::npos ||
         !boost::beast::iequals(origin.substr(host + 3), request.header("host"));
}

bool changes_something(const Request& request) {
  return request.method != "GET" && request.method != "HEAD";
}

// A supervisor's probes: the service answers them whatever else it is asked for.
bool is_health_probe(const Request& request) {
  return request.path == "/healthz" || request.path == "/readyz";
}

constexpr std::uint64_t request_bytes_max = 64 * 1024;

}  // namespace

std::optional<Response> refusal_of(const Request& request, const Access& access) {
  if (is_health_probe(request)) return std::nullopt;  // probes carry no token, and answers reveal nothing
  if (changes_something(request) && is_of_another_origin(request)) {
    return refusal(403, "a page of another origin may not send this request: use the service's own page");
  }
  if (access.token.empty()) {
    // Without this check, a web page could reach the service through a name that resolves to loopback.
    if (is_loopback_name(request.header("host"))) return std::nullopt;
    return refusal(421, "this service answers only requests to 127.0.0.1, [::1] and localhost");
  }
  // The page contains no data of the service, and asks its user for the token.
  if (request.path == "/" && !changes_something(request)) return std::nullopt;
  const std::string_view given = bearer_token(request.header("authorization"));
  const std::string& wanted = access.token;
  if (given.size() == wanted.size() && CRYPTO_memcmp(given.data(), wanted.data(), wanted.size()) == 0) {
    return std::nullopt;
  }
  Response response = refusal(401, "give the service's token: Authorization: Bearer TOKEN");
  response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

std::shared_ptr<void> ComparisonTurn::take() {
  if (!is_free()) return nullptr;
  const std::shared_ptr<void> turn = std::make_shared<char>();
  taken_ = turn;
  return turn;
}

Admit make_admission(const Access& access, std::uint64_t compare_bytes_max, const ComparisonTurn& turn) {
  return [access, compare_bytes_max, &turn](const Request& head) {
    Admission admission;
    admission.body_bytes_max = request_bytes_max;
    admission.vital = is_health_probe(head);
    admission.wants_body = !refusal_of(head, access);
    if (head.method != "POST" || head.path != "/v1/compare") return admission;
    admission.body_bytes_max = compare_bytes_max;
    admission.wants_body = admission.wants_body && turn.is_free();
    return admission;
  };
}

}  // namespace graphbench::service
