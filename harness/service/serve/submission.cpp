// Each refusal names the key, the value and what would do.
#include "harness/service/serve/submission.hpp"

#include <string_view>
#include <utility>

#include "graphs/ir/error.hpp"
#include "harness/model/input_error.hpp"
#include "harness/service/serve/json_response.hpp"
#include "harness/service/serve/sweep_json.hpp"

namespace graphbench::serve {
namespace {

using net::Request;
using net::Response;

constexpr std::size_t key_bytes_max = 255;
// They keep their connections while they wait.
constexpr long waiting_max = 16;

Response busy() {
  Response response = refusal(503, "the plugins of many requests are being loaded: try again");
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

}  // namespace

Response queue_is_full() {
  Response response = refusal(429, "the queue is full: try again later");
  response.headers.emplace_back("Retry-After", "30");
  return response;
}

Submission::Submission(Settings settings, SweepStore& store, std::function<void()> queued)
    : settings_(std::move(settings)), store_(store), queued_(std::move(queued)) {}

Response Submission::answer(const Request& request) const {
  const std::string_view header = request.header("content-type");
  const std::string_view type = header.substr(0, header.find(';'));
  if (type != "application/json" && type != "application/toml") {
    return refusal(415, "give Content-Type application/json or application/toml");
  }
  const std::string key(request.header("idempotency-key"));
  if (key.size() > key_bytes_max) return refusal(400, "Idempotency-Key: give at most 255 bytes");
  const BodyFormat format = type == "application/json" ? BodyFormat::json : BodyFormat::toml;
  try {
    SweepRequest asked = parse_sweep_request(request.body, format, settings_.plugins.names());
    if (asked.plugins.empty()) return queue(asked, key);
    if (turn_.use_count() > waiting_max) return busy();
    Response response;
    response.later = [this, turn = turn_, asked = std::move(asked), key](Request&) {
      return queue_with_plugins(asked, key);
    };
    return response;
  } catch (const InputError& error) {
    return refusal(400, error.what());
  }
}

Response Submission::queue_with_plugins(const SweepRequest& asked, const std::string& key) const {
  try {
    return queue(asked, key);
  } catch (const InputError& error) {
    return refusal(400, error.what());
  }
}

std::vector<std::string> Submission::files_of(const std::vector<std::string>& plugins) const {
  std::vector<std::string> files;
  try {
    for (const std::string& plugin : plugins) files.push_back(settings_.plugins.path_of(plugin));
  } catch (const Error& error) {  // it has gone since its name was read
    throw InputError("plugins", error.what());
  }
  return files;
}

Response Submission::queue(const SweepRequest& asked, const std::string& key) const {
  settings_.workloads.check(asked, files_of(asked.plugins));
  const SweepStore::Added added = store_.add(asked.arguments, key, settings_.queued_max);
  using What = SweepStore::Added::What;
  if (added.what == What::full) return queue_is_full();
  if (!added.same) return refusal(422, "this Idempotency-Key belongs to another request: give a new one");
  if (added.what == What::added) queued_();
  Response response = json_response(202, text_of(json_of(added.sweep)));
  response.headers.emplace_back("Location", "/v1/sweeps/" + added.sweep.id);
  return response;
}

}  // namespace graphbench::serve
