// Answers POST /v1/sweeps: checks and queues a request.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/service/net/http.hpp"
#include "harness/service/serve/json_response.hpp"
#include "harness/service/serve/service.hpp"
#include "harness/service/serve/sweep_store.hpp"

namespace graphbench::serve {

Refused queue_is_full();

// Thread-safe for use in a Router's handlers.
class Submission {
 public:
  // Calls `queued` after each queued sweep. The settings and the store must outlive this object.
  Submission(const ApiSettings& settings, SweepStore& store, std::function<void()> queued);

  // If the request names plugins, another thread loads them and answers. Throws Refused and InputError.
  net::Response answer(const net::Request& request) const;

 private:
  std::vector<std::string> files_of(const std::vector<std::string>& plugins) const;
  net::Response queue(const SweepRequest& sweep, const std::string& key) const;

  const ApiSettings& settings_;
  SweepStore& store_;
  const std::function<void()> queued_;
  // Each waiting request has a copy, so that use_count() counts these requests.
  const std::shared_ptr<char> turn_ = std::make_shared<char>();
};

}  // namespace graphbench::serve
