// Nothing is decoded: an id or a number has no escape in it.
#include "harness/service/serve/sweep_pages.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "harness/config/numbers.hpp"
#include "harness/model/input_error.hpp"
#include "harness/service/serve/json_response.hpp"
#include "harness/service/serve/sweep_json.hpp"

namespace graphbench::serve {
namespace {

struct PageRequest {
  std::optional<std::size_t> limit;
  std::optional<std::string> after;
};

std::size_t parse_limit(const std::string& text) {
  const config::ParsedInteger number = config::parse_integer(text);
  if (number.fault != config::NumberFault::none || number.value < 1 ||
      number.value > static_cast<std::int64_t>(page_sweeps_max)) {
    throw InputError("limit", in_quotes(text) + " will not do: give 1 to " + std::to_string(page_sweeps_max));
  }
  return static_cast<std::size_t>(number.value);
}

template <typename Value>
void set_once(std::optional<Value>& member, const std::string& name, Value value) {
  if (member) throw InputError(name, "it is given twice: give it once");
  member = std::move(value);
}

PageRequest parse_page(const std::string& query) {
  PageRequest page;
  for (std::size_t begin = 0; begin < query.size();) {
    const std::size_t end = std::min(query.find('&', begin), query.size());
    const std::string item = query.substr(begin, end - begin);
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
    begin = end + 1;
  }
  return page;
}

}  // namespace

net::Response list_sweeps(const SweepStore& store, const SweepRunner& runner, const std::string& query) {
  const PageRequest page = parse_page(query);
  if (page.after && !store.find(*page.after)) throw InputError("after", "there is no such sweep");
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

}  // namespace graphbench::serve
