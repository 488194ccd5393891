// Serves a sweep's metrics over HTTP, writes them to a file and pushes them to a Pushgateway. The README of
// the Pushgateway describes the interface for pushing.
#include "harness/service/publish/publisher.hpp"

#include <cstdlib>

#include "graphs/base/clock.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/files.hpp"
#include "harness/service/net/http.hpp"
#include "harness/service/net/http_client.hpp"

namespace graphbench::service {
namespace {

Router metrics_routes(const sweep::SweepMetrics& metrics) {
  Router router;
  router.add("GET", "/metrics", [&metrics](const Request&) {
    return Response{.content_type = sweep::metrics_content_type, .body = metrics.text()};
  });
  router.add("GET", "/", [](const Request&) { return text_response(200, "graphbench: see /metrics"); });
  return router;
}

// Encodes a value in base64 if it is empty or has a slash: such a text cannot be one part of a URL's path.
std::string path_part(const std::string& key, const std::string& value) {
  if (value.empty()) return "/" + key + "@base64/=";
  if (value.find('/') != std::string::npos) return "/" + key + "@base64/" + base64_url(value);
  return "/" + key + "/" + percent_encoded(value);
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find_first_of("\r\n")).substr(0, 300);
}

}  // namespace

Publisher::Publisher(PublishSettings settings, const std::string& tool_version)
    : settings_(std::move(settings)), metrics_(tool_version) {
  if (!settings_.listen) return;
  ServerSettings server;
  server.address = *settings_.listen;
  server.tls = settings_.tls;
  housekeeping_.emplace();
  server.on_thread = [this] { housekeeping_->add_this_thread(); };
  server_ = std::make_unique<HttpServer>(std::move(server), metrics_routes(metrics_));
}

std::string Publisher::url() const {
  return server_ ? (settings_.tls ? "https://" : "http://") + server_->address().text() + "/metrics" : "";
}

void Publisher::begin(const std::string& device, const model::DeviceFacts& facts,
                      const std::vector<std::int64_t>& submitter) {
  device_ = device;
  if (housekeeping_) housekeeping_->keep_off(submitter);
  metrics_.begin_sweep(device);
  metrics_.set_device(device, facts);
}

void Publisher::cells_done(const std::vector<model::CellResult>& cells) {
  for (const model::CellResult& cell : cells) metrics_.set_cell(device_, cell);
  // A failed write is ignored here, because finish() writes the file again and reports a failure.
  static_cast<void>(write_textfile());
}

std::vector<PublishFailure> Publisher::finish(const sweep::SweepOutcome& outcome) {
  const bool success = !outcome.interrupted && outcome.cells_failed == 0;
  metrics_.set_device(device_, outcome.result.environment.device);
  // The ratios of submit times to floors are known only now.
  for (const model::CellResult& cell : outcome.result.cells) {
    if (cell.summary.submit_over_floor) metrics_.set_cell(device_, cell);
  }
  metrics_.set_notes(device_, model::notes_of(outcome.result));
  metrics_.end_sweep(device_, success ? std::optional<double>(unix_seconds_now()) : std::nullopt);
  instance_ = outcome.result.environment.hostname;
  std::vector<PublishFailure> failures;
  try {
    if (settings_.baseline && !outcome.interrupted) compare(outcome.result);
  } catch (const std::exception& error) {
    failures.push_back({"baseline", error.what()});
  }
  if (std::string failure = write_textfile(); !failure.empty()) {
    failures.push_back({"prometheus-textfile", failure});
  }
  if (!settings_.push || outcome.interrupted) return failures;
  try {
    PushGateway(*settings_.push, instance_, settings_.grouping).replace(*metrics_.text());
    pushed_ = true;
  } catch (const Error& error) {
    failures.push_back({"prometheus-push", error.what()});
  }
  return failures;
}

std::vector<PublishFailure> Publisher::leave() {
  if (!pushed_ || !settings_.push_delete) return {};
  try {
    PushGateway(*settings_.push, instance_, settings_.grouping).remove();
  } catch (const Error& error) {
    return {{"push-delete", error.what()}};
  }
  return {};
}

void Publisher::compare(const model::Result& result) {
  comparison_ = settings_.baseline->compare_with(result, "this sweep");
  metrics_.set_comparison(device_, *comparison_);
}

std::string Publisher::write_textfile() {
  if (settings_.textfile.empty()) return "";
  const std::shared_ptr<const std::string> text = metrics_.text();
  if (written_ && *written_ == *text) return "";
  try {
    write_file_atomically(settings_.textfile, *text);
    written_ = text;
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

PushGateway::PushGateway(Url url, const std::string& instance,
                         const std::map<std::string, std::string>& grouping)
    : url_(std::move(url)) {
  std::map<std::string, std::string> keys = grouping;
  keys.emplace("job", "graphbench");
  keys.emplace("instance", instance);
  path_ = "/metrics" + path_part("job", keys.at("job"));
  keys.erase("job");
  for (const auto& [key, value] : keys) path_ += path_part(key, value);
}

void PushGateway::send(const std::string& method, const std::string& body) const {
  ClientRequest request{.method = method, .url = url_, .path = path_, .headers = {}, .body = body};
  if (!body.empty()) request.headers.emplace_back("Content-Type", sweep::metrics_content_type);
  const char* authorization = std::getenv("GRAPHBENCH_PUSH_AUTHORIZATION");
  if (authorization != nullptr) request.headers.emplace_back("Authorization", authorization);
  const ClientResponse response = service::send(request);
  if (response.status / 100 == 2) return;
  const std::string said = first_line(response.body);
  throw Error(ErrorCode::io, method + " at " + url_.host + ":" + url_.port + ": the gateway answered " +
                                 std::to_string(response.status) + (said.empty() ? "" : ": " + said));
}

}  // namespace graphbench::service
