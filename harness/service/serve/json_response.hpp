// Answers, refusals and sweeps as JSON. reporters/schema/openapi.json lists the members.
#pragma once

#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "harness/model/progress.hpp"
#include "harness/service/net/http.hpp"
#include "harness/service/serve/sweep_runner.hpp"
#include "harness/service/serve/sweep_store.hpp"

namespace graphbench::service {

Response json_response(unsigned status, std::string document);
// Answers with a document that many clients share and that already ends with a newline.
Response json_response(unsigned status, std::shared_ptr<const std::string> document);
// Answers with {"error": "why"}.
Response refusal(unsigned status, const std::string& why);

// If a handler throws this, the service answers with refusal(status, why). `retry_after`: seconds for the
// header Retry-After; 0: no header.
class Refused : public std::exception {
 public:
  Refused(unsigned status, std::string why, int retry_after = 0);
  const char* what() const noexcept override { return why_.c_str(); }
  Response response() const;

 private:
  unsigned status_;
  std::string why_;
  int retry_after_;
};

nlohmann::json json_of(const StoredSweep& sweep);
nlohmann::json json_of(const model::Progress& progress);

// Writes the document on one line, and replaces bytes that are not UTF-8.
std::string text_of(const nlohmann::json& document);

// `query` is "limit=N&after=ID", each at most once. N is at most 1000, by default 100; ID is the last sweep
// of the previous page, so new sweeps do not shift the pages. Throws InputError for any other query.
Response list_sweeps(const SweepStore& store, const SweepRunner& runner, const std::string& query);

}  // namespace graphbench::service
