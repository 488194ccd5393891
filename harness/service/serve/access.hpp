// Answers only requests with the token or, if no token is configured, requests to a loopback name. A page of
// another origin may change nothing. Also decides how many bytes of a body are read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "harness/service/net/http.hpp"

namespace graphbench::service {

struct Access {
  std::string token;
};

std::optional<Response> refusal_of(const Request& request, const Access& access);

// Comparisons run one at a time, because each may need memory for two long documents. Only the server's
// thread uses it.
class ComparisonTurn {
 public:
  bool is_free() const { return taken_.expired(); }
  // The turn lasts until the returned pointer is released. Null if another comparison has it.
  std::shared_ptr<void> take();

 private:
  std::weak_ptr<void> taken_;
};

// The body of a refused request is not read. POST /v1/compare contains documents: its limit is
// `compare_bytes_max`. While a comparison runs, another gets a 503 at once, and its body is not read. A
// request takes the turn when its body is there, so a client that sends slowly delays no other.
Admit make_admission(const Access& access, std::uint64_t compare_bytes_max, const ComparisonTurn& turn);

}  // namespace graphbench::service
