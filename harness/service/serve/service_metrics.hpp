// The service's own metrics: requests, sweeps, the queue, open event streams. They are kept apart from the
// lines of cells, which are rendered once for many requests.
#pragma once

#include <prometheus/histogram.h>

#include <optional>
#include <string>
#include <utility>

#include "harness/sweep/report/families.hpp"
#include "reporters/prometheus_text.hpp"

namespace graphbench::service {

// Thread-safe. dashboards/metrics.json lists the families.
class ServiceMetrics {
 public:
  ServiceMetrics() {
    for (const char* status : {"done", "failed", "cells_failed", "cancelled", "interrupted"})
      sweeps_.Add({{"status", status}});
  }
  ~ServiceMetrics() = default;
  ServiceMetrics(const ServiceMetrics&) = delete;
  ServiceMetrics& operator=(const ServiceMetrics&) = delete;

  // `route` is a pattern such as "/v1/sweeps/{id}", never text of a client: each label value stays in memory.
  void count_request(const std::string& route, unsigned code, double seconds) {
    requests_.Add({{"route", route}, {"code", std::to_string(code)}}).Increment();
    durations_.Add({{"route", route}}, buckets).Observe(seconds);
  }
  // `status` is "done", "failed", "cells_failed", "cancelled" or "interrupted".
  void count_sweep(const std::string& status) { sweeps_.Add({{"status", status}}).Increment(); }
  // If `queued` is absent, /metrics has no series for it.
  void set_queue(std::optional<std::size_t> queued, std::size_t capacity) {
    if (queued) {
      queued_ = &queues_.Add({});
      queued_->Set(static_cast<double>(*queued));
    } else if (queued_ != nullptr) {
      queues_.Remove(std::exchange(queued_, nullptr));
    }
    capacity_.Set(static_cast<double>(capacity));
  }
  void set_streams(std::size_t open) { streams_.Set(static_cast<double>(open)); }

  std::string text() const { return reporters::rendered(registry_.Collect()); }

 private:
  template <typename Metric>
  using Family = prometheus::Family<Metric>;
  static constexpr const char* duration_family = "graphbench_http_request_duration_seconds";
  // Bounds in seconds, from 100 us for a look-up in memory to 2.5 s for a slow disk.
  inline static const prometheus::Histogram::BucketBoundaries buckets = {1e-4,   2.5e-4, 1e-3, 2.5e-3, 1e-2,
                                                                         2.5e-2, 0.1,    0.25, 1,      2.5};

  prometheus::Registry registry_;
  Family<prometheus::Counter>& sweeps_ = sweep::counter(registry_, "graphbench_sweeps_total");
  Family<prometheus::Counter>& requests_ = sweep::counter(registry_, "graphbench_http_requests_total");
  Family<prometheus::Histogram>& durations_ = prometheus::BuildHistogram()
                                                  .Name(duration_family)
                                                  .Help(sweep::family_of_process(duration_family).help)
                                                  .Register(registry_);
  Family<prometheus::Gauge>& queues_ = sweep::gauge(registry_, "graphbench_queue_sweeps");
  prometheus::Gauge* queued_ = nullptr;
  prometheus::Gauge& capacity_ = sweep::gauge(registry_, "graphbench_queue_capacity_sweeps").Add({});
  prometheus::Gauge& streams_ = sweep::gauge(registry_, "graphbench_event_streams").Add({});
};

}  // namespace graphbench::service
