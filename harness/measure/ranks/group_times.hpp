// Times of a group's steps, from the times that its ranks took by one clock.
#pragma once

#include <vector>

#include "harness/measure/ranks/rank.hpp"
#include "harness/measure/sample_buffer.hpp"
#include "harness/model/result.hpp"

namespace graphbench::ranks {

// What the samples of a launch do not say of its ranks.
struct GroupTimes {
  std::vector<double> skew_seconds = {};  // of each step: from the first rank's end to the last's
  std::vector<std::vector<double>> submit_seconds = {};  // of each rank
};

// Replaces the samples from number `first` on by those of the group: latency is from the first start to the
// last end, submit is that of the slowest rank.
void combine(Rank& rank, std::size_t first, measure::DurationBuffer& submit_ns,
             measure::SampleBuffer& latency_ns, GroupTimes& times);
// Device times, setup stages and a throughput's time are those of the slowest rank.
double largest(Rank& rank, double mine);
void combine(Rank& rank, std::size_t first, measure::SampleBuffer& device_ns);
void combine(Rank& rank, model::Setup& setup);
// A difference on any rank is one of the cell.
void combine(Rank& rank, model::Check& check);

model::RankTimes summary_of(const GroupTimes& times);

}  // namespace graphbench::ranks
