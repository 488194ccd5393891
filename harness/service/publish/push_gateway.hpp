// Puts metrics to a Pushgateway, one group a sweep's host, and takes them away again.
#pragma once

#include <map>
#include <string>

#include "harness/service/net/addresses.hpp"

namespace graphbench::publish {

// prometheus-cpp's own Gateway is not used: it has no deadline, reports no cause and encodes no values.
// Both functions throw Error(io) unless the gateway accepts.
class PushGateway {
 public:
  // `grouping` may replace job ("graphbench") and instance. GRAPHBENCH_PUSH_AUTHORIZATION, where set, is
  // sent as the Authorization header.
  PushGateway(net::Url url, const std::string& instance, const std::map<std::string, std::string>& grouping);

  // Replaces the whole group: what an earlier push had and this one lacks is gone.
  void replace(const std::string& text) const;
  void remove() const;

  // "/metrics/job/graphbench/instance/bench"
  const std::string& path() const noexcept { return path_; }

 private:
  void send(const std::string& method, const std::string& body) const;

  net::Url url_;
  std::string path_;
};

}  // namespace graphbench::publish
