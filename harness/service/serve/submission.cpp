// Checks and queues a requested sweep. Each refusal names the key, the value and what to give instead.
#include "harness/service/serve/submission.hpp"

#include <string_view>
#include <utility>

#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "harness/service/serve/json_response.hpp"

namespace graphbench::serve {
namespace {

using net::Request;
using net::Response;

constexpr std::size_t key_bytes_max = 255;
// The number of requests that may wait for plugins to load; each request keeps its connection open.
constexpr long waiting_max = 16;

}  // namespace

Refused queue_is_full() {
  return {429, "the queue is full: try again later", 30};
}

Submission::Submission(const ApiSettings& settings, SweepStore& store, std::function<void()> queued)
    : settings_(settings), store_(store), queued_(std::move(queued)) {}

Response Submission::answer(const Request& request) const {
  const std::string_view type = request.media_type();
  if (type != "application/json" && type != "application/toml") {
    throw Refused(415, "give Content-Type application/json or application/toml");
  }
  const std::string key(request.header("idempotency-key"));
  if (key.size() > key_bytes_max) throw Refused(400, "Idempotency-Key: give at most 255 bytes");
  const BodyFormat format = type == "application/json" ? BodyFormat::json : BodyFormat::toml;
  SweepRequest sweep = parse_sweep_request(request.body, format, settings_.plugins.names());
  const bool brief = sweep.asked.plugins.empty();
  if (!brief && turn_.use_count() > waiting_max) {
    throw Refused(503, "too many requests are loading plugins: try again later", 1);
  }
  auto later = [this, turn = turn_, sweep = std::move(sweep), key](Request&) { return queue(sweep, key); };
  return {.later = std::move(later), .brief = brief};
}

std::vector<std::string> Submission::files_of(const std::vector<std::string>& plugins) const {
  std::vector<std::string> files;
  try {
    for (const std::string& plugin : plugins) files.push_back(settings_.plugins.path_of(plugin));
  } catch (const Error& error) {  // the plugin was removed after its name was checked
    throw InputError("plugins", error.what());
  }
  return files;
}

Response Submission::queue(const SweepRequest& sweep, const std::string& key) const {
  settings_.workloads.check(sweep, files_of(sweep.asked.plugins));
  const SweepStore::Added added = store_.add(sweep.asked, key, settings_.queued_max);
  using What = SweepStore::Added::What;
  if (added.what == What::full) throw queue_is_full();
  if (!added.same) throw Refused(422, "this Idempotency-Key belongs to another request: give a new key");
  if (added.what == What::added) queued_();
  Response response = json_response(202, text_of(json_of(added.sweep)));
  response.headers.emplace_back("Location", "/v1/sweeps/" + added.sweep.id);
  return response;
}

}  // namespace graphbench::serve
