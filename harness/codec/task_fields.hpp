// The JSON form of a worker's task.
#pragma once

#include "harness/codec/description.hpp"
#include "harness/codec/instrument_fields.hpp"
#include "harness/model/plan.hpp"

namespace graphbench::codec {

template <>
struct Description<model::SamplingBounds> {
  using T = model::SamplingBounds;
  static constexpr auto fields =
      std::tuple(field("seconds_max", &T::seconds_max), field("samples_max", &T::samples_max));
};

template <>
struct Description<model::WorkerTask> {
  using T = model::WorkerTask;
  static constexpr auto fields = std::tuple(
      field("device", &T::device), field("workload", &T::workload), field("preset", &T::preset),
      field("dtype", &T::dtype), field("pass", &T::pass), field("mode", &T::mode),
      field("warmup", &T::warmup), field("more_axes", &T::more_axes), field("batches", &T::batches),
      field("launch", &T::launch), field("seed", &T::seed), field("sampling", &T::sampling),
      field("plugins", &T::plugins), field("options", &T::options), field("split_ops", &T::split_ops),
      field("instruments", &T::instruments), field("spawned_ns", &T::spawned_ns));
};

}  // namespace graphbench::codec
