// Member by member, as the codec's description lists them.
#include "harness/verdict/ab/merge_floors.hpp"

#include "harness/codec/instrument_fields.hpp"
#include "harness/statistics/quantiles.hpp"

namespace graphbench::ab {
namespace {

using model::Floors;

void merge(const std::vector<Floors>& all, std::optional<model::Floor> Floors::*member, Floors& merged) {
  std::vector<double> p50;
  std::int64_t count = 0;
  for (const Floors& floors : all) {
    if (!(floors.*member)) continue;
    p50.push_back((floors.*member)->p50);
    count += (floors.*member)->count;
  }
  if (!p50.empty()) merged.*member = model::Floor{statistics::median(std::move(p50)), count};
}

void merge(const std::vector<Floors>& all, std::optional<double> Floors::*member, Floors& merged) {
  std::vector<double> values;
  for (const Floors& floors : all) {
    if (floors.*member) values.push_back(*(floors.*member));
  }
  if (!values.empty()) merged.*member = statistics::median(std::move(values));
}

void merge(const std::vector<Floors>& all, std::vector<model::FloorLadder> Floors::*member, Floors& merged) {
  merged.*member = all.front().*member;
}

void merge(const std::vector<Floors>& all, std::optional<model::ExecMemoryFloor> Floors::*member,
           Floors& merged) {
  merged.*member = all.front().*member;
}

}  // namespace

std::optional<Floors> merge_floors(const std::vector<Floors>& floors) {
  if (floors.empty()) return std::nullopt;
  Floors merged;
  std::apply([&](const auto&... field) { (merge(floors, field.member, merged), ...); },
             codec::Description<Floors>::fields);
  return merged;
}

}  // namespace graphbench::ab
