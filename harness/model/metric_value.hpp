// Finds a metric's number: value<&GraphCounts::pieces>() returns the MetricValue that reads the member from
// a cell or a launch. A struct whose members are metrics needs one specialization of Place here.
#pragma once

#include <type_traits>

#include "harness/model/metrics.hpp"

namespace graphbench::model {

template <typename T>
const T* pointer_to(const T& part) {
  return &part;
}
template <typename T>
const T* pointer_to(const std::optional<T>& part) {
  return part ? &*part : nullptr;
}

// Finds a struct that is a member of a launch or of a cell. The member may be absent.
template <MetricSection in, auto member>
struct At;
template <MetricSection in, typename Whole, typename Member, Member Whole::*member>
struct At<in, member> {
  static constexpr MetricSection section = in;
  static auto find(const Whole& whole) { return pointer_to(whole.*member); }
};

template <typename Part>
struct Place;
template <>
struct Place<Launch> {
  static constexpr MetricSection section = MetricSection::launch;
  static const Launch* find(const Launch& launch) { return &launch; }
};
template <>
struct Place<Setup> : At<MetricSection::setup, &Launch::setup> {};
template <>
struct Place<Opening> {
  static constexpr MetricSection section = MetricSection::setup;
  static const Opening* find(const Launch& launch) { return &launch.setup.opening; }
};
template <>
struct Place<Startup> : At<MetricSection::startup, &Launch::startup> {};
template <>
struct Place<Sustained> : At<MetricSection::sustained, &Launch::sustained> {};
template <>
struct Place<RankTimes> : At<MetricSection::ranks, &Launch::ranks> {};
template <>
struct Place<GraphCounts> : At<MetricSection::graph, &CellResult::graph> {};
template <>
struct Place<facts::GraphContents> {
  static constexpr MetricSection section = MetricSection::graph;
  static const facts::GraphContents* find(const CellResult& cell) {
    return cell.graph ? &cell.graph->contents : nullptr;
  }
};
template <>
struct Place<Io> : At<MetricSection::io, &CellResult::caller_io> {};
template <>
struct Place<Counters> : At<MetricSection::counters, &CellResult::counters> {};
template <>
struct Place<Training> : At<MetricSection::training, &CellResult::training> {};
template <>
struct Place<facts::TrainingFacts> {
  static constexpr MetricSection section = MetricSection::training;
  static const facts::TrainingFacts* find(const CellResult& cell) {
    return cell.training ? &cell.training->program : nullptr;
  }
};
template <>
struct Place<Evaluation> {
  static constexpr MetricSection section = MetricSection::evaluated;
  static const Evaluation* find(const CellResult& cell) {
    return cell.training ? pointer_to(cell.training->evaluation) : nullptr;
  }
};
template <>
struct Place<ShapeWalk> : At<MetricSection::walk, &CellResult::shape_walk> {};
template <>
struct Place<CacheUse> : At<MetricSection::cache, &CellResult::cache> {};
template <>
struct Place<PackageUse> : At<MetricSection::package, &CellResult::package> {};
template <>
struct Place<Memory> : At<MetricSection::memory, &CellResult::memory> {};
template <>
struct Place<Profile> : At<MetricSection::profile, &CellResult::profile> {};
template <>
struct Place<CellSummary> : At<MetricSection::summary, &CellResult::summary> {};

template <typename Number>
std::optional<double> number_in(Number number) {
  return static_cast<double>(number);
}
template <typename Number>
std::optional<double> number_in(const std::optional<Number>& number) {
  return number ? number_in(*number) : std::nullopt;
}
inline std::optional<double> number_in(const std::optional<Summary>& summary) {
  return summary ? std::optional(summary->p50) : std::nullopt;
}

template <auto member>
struct ValueOf;
template <typename Part, typename Member, Member Part::*member>
struct ValueOf<member> {
  static constexpr MetricSection section = Place<Part>::section;
  static constexpr bool is_of_samples = std::is_same_v<Member, std::optional<Summary>>;
  static constexpr bool is_of_launch = std::is_invocable_v<decltype(Place<Part>::find), const Launch&>;
  using Whole = std::conditional_t<is_of_launch, Launch, CellResult>;

  static std::optional<double> number(const Whole& whole) {
    const Part* part = Place<Part>::find(whole);
    return part != nullptr ? number_in(part->*member) : std::nullopt;
  }
  static const Summary* summary(const Launch& launch) {
    const Part* part = Place<Part>::find(launch);
    return part != nullptr ? pointer_to(part->*member) : nullptr;
  }
};

template <auto member>
constexpr MetricValue value() {
  using Of = ValueOf<member>;
  if constexpr (Of::is_of_launch && Of::is_of_samples) {
    return {.section = Of::section, .of_launch = Of::number, .summary_of = Of::summary};
  } else if constexpr (Of::is_of_launch) {
    return {.section = Of::section, .of_launch = Of::number};
  } else {
    return {.section = Of::section, .of_cell = Of::number};
  }
}

}  // namespace graphbench::model
