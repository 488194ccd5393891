// The metrics of the service itself: requests, sweeps, its queue, open event streams.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace graphbench::reporters {

// Thread-safe. docs/prometheus.md lists names, labels and types.
class ServiceMetrics {
 public:
  ServiceMetrics();
  ~ServiceMetrics();
  ServiceMetrics(const ServiceMetrics&) = delete;
  ServiceMetrics& operator=(const ServiceMetrics&) = delete;

  // `route`: the pattern, "/v1/sweeps/{id}"; never what a client made up, for every label value is kept.
  void count_request(const std::string& route, unsigned code, double seconds);
  // "done", "failed", "cells_failed", "cancelled", "interrupted".
  void count_sweep(const std::string& status);
  // `queued` absent: not known, and there is no such series.
  void set_queue(std::optional<std::size_t> queued, std::size_t capacity);
  void set_streams(std::size_t open);

  // Everything in the text format.
  std::string text() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace graphbench::reporters
