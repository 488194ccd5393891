// The service's own metrics: requests, sweeps, the queue, open event streams.
#pragma once

#include <prometheus/histogram.h>

#include <optional>
#include <string>

#include "harness/sweep/report/families.hpp"
#include "reporters/prometheus_text.hpp"

namespace graphbench::reporters {

// Thread-safe. dashboards/metrics.json lists the families.
class ServiceMetrics {
 public:
  ServiceMetrics();
  ~ServiceMetrics() = default;
  ServiceMetrics(const ServiceMetrics&) = delete;
  ServiceMetrics& operator=(const ServiceMetrics&) = delete;

  // `route` is a pattern such as "/v1/sweeps/{id}", never text of a client: each label value stays in memory.
  void count_request(const std::string& route, unsigned code, double seconds);
  // `status` is "done", "failed", "cells_failed", "cancelled" or "interrupted".
  void count_sweep(const std::string& status) { sweeps_.Add({{"status", status}}).Increment(); }
  // If `queued` is absent, /metrics has no series for it.
  void set_queue(std::optional<std::size_t> queued, std::size_t capacity);
  void set_streams(std::size_t open) { streams_.Set(static_cast<double>(open)); }

  std::string text() const { return rendered(registry_.Collect()); }

 private:
  template <typename Metric>
  using Family = prometheus::Family<Metric>;
  static constexpr const char* duration_family = "graphbench_http_request_duration_seconds";

  prometheus::Registry registry_;
  Family<prometheus::Counter>& sweeps_ = counter(registry_, "graphbench_sweeps_total");
  Family<prometheus::Counter>& requests_ = counter(registry_, "graphbench_http_requests_total");
  Family<prometheus::Histogram>& durations_ = prometheus::BuildHistogram()
                                                  .Name(duration_family)
                                                  .Help(family_of_process(duration_family).help)
                                                  .Register(registry_);
  Family<prometheus::Gauge>& queues_ = gauge(registry_, "graphbench_queue_sweeps");
  prometheus::Gauge* queued_ = nullptr;
  prometheus::Gauge& capacity_ = gauge(registry_, "graphbench_queue_capacity_sweeps").Add({});
  prometheus::Gauge& streams_ = gauge(registry_, "graphbench_event_streams").Add({});
};

}  // namespace graphbench::reporters
