// The Pushgateway's HTTP interface, as its README describes it.
#include "harness/service/publish/push_gateway.hpp"

#include <cstdlib>

#include "graphs/base/error.hpp"
#include "harness/service/net/http_client.hpp"
#include "harness/sweep/report/sweep_metrics.hpp"

namespace graphbench::publish {
namespace {

// A slash cannot be escaped in a path and an empty part cannot stand in one: the gateway takes base64 then.
std::string path_part(const std::string& key, const std::string& value) {
  if (value.empty()) return "/" + key + "@base64/=";
  if (value.find('/') != std::string::npos) return "/" + key + "@base64/" + net::base64_url(value);
  return "/" + key + "/" + net::percent_encoded(value);
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find_first_of("\r\n")).substr(0, 300);
}

}  // namespace

PushGateway::PushGateway(net::Url url, const std::string& instance,
                         const std::map<std::string, std::string>& grouping)
    : url_(std::move(url)) {
  std::map<std::string, std::string> keys = grouping;
  keys.emplace("job", "graphbench");
  keys.emplace("instance", instance);
  path_ = "/metrics" + path_part("job", keys.at("job"));
  keys.erase("job");
  for (const auto& [key, value] : keys) path_ += path_part(key, value);
}

void PushGateway::replace(const std::string& text) const {
  send("PUT", text);
}

void PushGateway::remove() const {
  send("DELETE", "");
}

void PushGateway::send(const std::string& method, const std::string& body) const {
  net::ClientRequest request;
  request.method = method;
  request.url = url_;
  request.path = path_;
  request.body = body;
  if (!body.empty()) request.headers.emplace_back("Content-Type", reporters::metrics_content_type);
  const char* authorization = std::getenv("GRAPHBENCH_PUSH_AUTHORIZATION");
  if (authorization != nullptr) request.headers.emplace_back("Authorization", authorization);
  const net::ClientResponse response = net::send(request);
  if (response.status / 100 == 2) return;
  const std::string said = first_line(response.body);
  throw Error(ErrorCode::io, method + " at " + url_.host + ":" + url_.port + ": the gateway answered " +
                                 std::to_string(response.status) + (said.empty() ? "" : ": " + said));
}

}  // namespace graphbench::publish
