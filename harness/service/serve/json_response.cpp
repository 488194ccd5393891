// Writes responses as JSON. Each body ends with a newline, for users of curl. Unknown values are null.
// Queries are not decoded, because no id or number needs an escape.
#include "harness/service/serve/json_response.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "graphs/base/text.hpp"
#include "harness/options/numbers.hpp"

namespace graphbench::service {

Response json_response(unsigned status, std::shared_ptr<const std::string> document) {
  return {.status = status, .content_type = "application/json", .body = std::move(document)};
}

Response json_response(unsigned status, std::string document) {
  if (!document.ends_with('\n')) document += '\n';
  return json_response(status, std::make_shared<const std::string>(std::move(document)));
}

Response refusal(unsigned status, const std::string& why) {
  return json_response(status, text_of({{"error", why}}));
}

Refused::Refused(unsigned status, std::string why, int retry_after)
    : status_(status), why_(std::move(why)), retry_after_(retry_after) {}

Response Refused::response() const {
  Response response = refusal(status_, why_);
  if (retry_after_ > 0) response.headers.emplace_back("Retry-After", std::to_string(retry_after_));
  return response;
}

namespace {

constexpr std::size_t page_sweeps_default = 100;
constexpr std::size_t page_sweeps_max = 1000;

using nlohmann::json;

json nullable(const std::string& text) {
  return text.empty() ? json(nullptr) : json(text);
}

struct PageRequest {
  std::optional<std::size_t> limit;
  std::optional<std::string> after;
};

std::size_t parse_limit(const std::string& text) {
  return static_cast<std::size_t>(options::parse_within(
      "limit", text, {1, static_cast<std::int64_t>(page_sweeps_max)}, " is not valid: give "));
}

template <typename Value>
void set_once(std::optional<Value>& member, const std::string& name, Value value) {
  if (member) throw InputError(name, "the key is given twice: give it once");
  member = std::move(value);
}

PageRequest parse_page(const std::string& query) {
  PageRequest page;
  std::vector<std::string> items = split(query, '&');
  if (items.back().empty()) items.pop_back();
  for (const std::string& item : items) {
    const std::size_t equals = std::min(item.find('='), item.size());
    const std::string name = item.substr(0, equals);
    const std::string value = item.substr(std::min(equals + 1, item.size()));
    if (name == "limit") {
      set_once(page.limit, name, parse_limit(value));
    } else if (name == "after") {
      set_once(page.after, name, value);
    } else {
      throw InputError("", in_quotes(name) + " is not a parameter of this path: give limit or after");
    }
  }
  return page;
}

}  // namespace

json json_of(const StoredSweep& sweep) {
  return {{"id", sweep.id},
          {"state", name_of(sweep.state)},
          {"resumable", is_resumable(sweep.state)},
          {"has_results", sweep.has_results},
          {"arguments", sweep.asked.named()},
          {"submitted_at", sweep.submitted_at},
          {"started_at", nullable(sweep.started_at)},
          {"finished_at", nullable(sweep.finished_at)},
          {"exit_code", sweep.exit_code ? json(*sweep.exit_code) : json(nullptr)},
          {"message", nullable(sweep.message)}};
}

json json_of(const model::Progress& progress) {
  return {{"cells_done", progress.cells_done},
          {"cells_total", progress.cells_total},
          {"failures", progress.failures},
          {"elapsed_seconds", progress.elapsed_seconds},
          {"eta_seconds", progress.eta_seconds ? json(*progress.eta_seconds) : json(nullptr)},
          {"worker", nullable(progress.worker)},
          {"phase", nullable(progress.phase)},
          {"batch", progress.batch}};
}

std::string text_of(const json& document) {
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

Response list_sweeps(const SweepStore& store, const SweepRunner& runner, const std::string& query) {
  const PageRequest page = parse_page(query);
  if (page.after && !store.find(*page.after)) throw InputError("after", "this sweep does not exist");
  const std::size_t limit = page.limit.value_or(page_sweeps_default);
  std::vector<StoredSweep> found = store.list(limit + 1, page.after);
  nlohmann::json next = nullptr;
  if (found.size() > limit) {
    found.resize(limit);
    next = "/v1/sweeps?limit=" + std::to_string(limit) + "&after=" + found.back().id;
  }
  nlohmann::json sweeps = nlohmann::json::array();
  for (StoredSweep& sweep : found) sweeps.push_back(json_of(runner.with_message(std::move(sweep))));
  return json_response(200, text_of({{"sweeps", sweeps}, {"next", next}}));
}

}  // namespace graphbench::service
