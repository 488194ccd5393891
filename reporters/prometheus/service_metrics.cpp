// A registry of its own: these change with every request, and what cells show is rendered once for many.
#include "reporters/prometheus/service_metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <utility>

#include "reporters/prometheus/families.hpp"
#include "reporters/prometheus/render.hpp"

namespace graphbench::reporters {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;
using prometheus::Registry;

// From a look-up to a slow disk: 100 us to 2.5 s.
const Histogram::BucketBoundaries buckets = {1e-4, 2.5e-4, 1e-3, 2.5e-3, 1e-2, 2.5e-2, 0.1, 0.25, 1, 2.5};

Gauge& gauge(Registry& registry, const char* name) {
  return prometheus::BuildGauge().Name(name).Help(family_of_process(name).help).Register(registry).Add({});
}

Family<Counter>& counter(Registry& registry, const char* name) {
  return prometheus::BuildCounter().Name(name).Help(family_of_process(name).help).Register(registry);
}

}  // namespace

class ServiceMetrics::Impl {
 public:
  Impl() {
    for (const char* status : {"done", "failed", "cells_failed", "cancelled", "interrupted"}) {
      sweeps.Add({{"status", status}});
    }
  }

  Registry registry;
  Family<Counter>& sweeps = counter(registry, "graphbench_sweeps_total");
  Family<Counter>& requests = counter(registry, "graphbench_http_requests_total");
  Family<Histogram>& durations = prometheus::BuildHistogram()
                                     .Name("graphbench_http_request_duration_seconds")
                                     .Help(family_of_process("graphbench_http_request_duration_seconds").help)
                                     .Register(registry);
  Family<Gauge>& queues = prometheus::BuildGauge()
                              .Name("graphbench_queue_sweeps")
                              .Help(family_of_process("graphbench_queue_sweeps").help)
                              .Register(registry);
  Gauge* queued = nullptr;
  Gauge& capacity = gauge(registry, "graphbench_queue_capacity_sweeps");
  Gauge& streams = gauge(registry, "graphbench_event_streams");
};

ServiceMetrics::ServiceMetrics() : impl_(std::make_unique<Impl>()) {}
ServiceMetrics::~ServiceMetrics() = default;

void ServiceMetrics::count_request(const std::string& route, unsigned code, double seconds) {
  impl_->requests.Add({{"route", route}, {"code", std::to_string(code)}}).Increment();
  impl_->durations.Add({{"route", route}}, buckets).Observe(seconds);
}

void ServiceMetrics::count_sweep(const std::string& status) {
  impl_->sweeps.Add({{"status", status}}).Increment();
}

void ServiceMetrics::set_queue(std::optional<std::size_t> queued, std::size_t capacity) {
  if (queued) {
    impl_->queued = &impl_->queues.Add({});
    impl_->queued->Set(static_cast<double>(*queued));
  } else if (impl_->queued != nullptr) {
    impl_->queues.Remove(std::exchange(impl_->queued, nullptr));
  }
  impl_->capacity.Set(static_cast<double>(capacity));
}

void ServiceMetrics::set_streams(std::size_t open) {
  impl_->streams.Set(static_cast<double>(open));
}

std::string ServiceMetrics::text() const {
  return rendered(impl_->registry.Collect());
}

}  // namespace graphbench::reporters
