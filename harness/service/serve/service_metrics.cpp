// Keeps the service's metrics apart from the lines of cells, which are rendered once for many requests.
#include "harness/service/serve/service_metrics.hpp"

#include <utility>

namespace graphbench::reporters {

// Bounds in seconds, from 100 us for a look-up in memory to 2.5 s for a slow disk.
static const prometheus::Histogram::BucketBoundaries buckets = {1e-4,   2.5e-4, 1e-3, 2.5e-3, 1e-2,
                                                                2.5e-2, 0.1,    0.25, 1,      2.5};

ServiceMetrics::ServiceMetrics() {
  for (const char* status : {"done", "failed", "cells_failed", "cancelled", "interrupted"})
    sweeps_.Add({{"status", status}});
}

void ServiceMetrics::count_request(const std::string& route, unsigned code, double seconds) {
  requests_.Add({{"route", route}, {"code", std::to_string(code)}}).Increment();
  durations_.Add({{"route", route}}, buckets).Observe(seconds);
}

void ServiceMetrics::set_queue(std::optional<std::size_t> queued, std::size_t capacity) {
  if (queued) {
    queued_ = &queues_.Add({});
    queued_->Set(static_cast<double>(*queued));
  } else if (queued_ != nullptr) {
    queues_.Remove(std::exchange(queued_, nullptr));
  }
  capacity_.Set(static_cast<double>(capacity));
}

}  // namespace graphbench::reporters
