// Plans as JSON: an array for each number of a place.
#include "harness/package/addresses.hpp"

#include <algorithm>
#include <set>

#include "graphs/ir/error.hpp"
#include "harness/codec/messages.hpp"

namespace graphbench::codec {

struct StoredPlan {
  std::string method;
  std::int64_t batch = 0;
  std::vector<std::int64_t> segments;
  std::vector<std::int64_t> values;
  std::vector<std::int64_t> in_segments;
  std::vector<std::int64_t> offsets;
};
GB_DESCRIBE(StoredPlan, method, batch, segments, values, in_segments, offsets);

struct PlanList {
  std::vector<StoredPlan> plans;
};
GB_DESCRIBE(PlanList, plans);

}  // namespace graphbench::codec

namespace graphbench::package {

std::string write_addresses(const std::vector<PlannedAddresses>& addresses) {
  codec::PlanList list;
  for (const PlannedAddresses& each : addresses) {
    codec::StoredPlan& stored = list.plans.emplace_back();
    stored.method = each.method;
    stored.batch = each.batch;
    stored.segments = each.plan.segments;
    for (const ir::AddressPlan::Place& place : each.plan.places) {
      stored.values.push_back(place.value);
      stored.in_segments.push_back(place.segment);
      stored.offsets.push_back(place.offset);
    }
  }
  return codec::write_data(list);
}

std::vector<PlannedAddresses> read_addresses(std::string_view text, const Manifest& manifest) {
  const auto refuse = [](const std::string& why) {
    throw Error(ErrorCode::invalid_argument, "plans: " + why);
  };
  std::vector<PlannedAddresses> addresses;
  std::set<std::pair<std::string, std::int64_t>> seen;
  for (codec::StoredPlan& stored : codec::read_data<codec::PlanList>(text, "plans").plans) {
    const std::string name = stored.method + " at batch " + std::to_string(stored.batch);
    if (std::ranges::find(manifest.methods, stored.method, &Method::name) == manifest.methods.end() ||
        !std::ranges::binary_search(manifest.batches, stored.batch))
      refuse("the manifest has no " + name);
    if (!seen.emplace(stored.method, stored.batch).second) refuse(name + " is there twice");
    if (stored.in_segments.size() != stored.values.size() || stored.offsets.size() != stored.values.size())
      refuse(name + " has places that are not whole");
    PlannedAddresses& each = addresses.emplace_back();
    each.method = std::move(stored.method);
    each.batch = stored.batch;
    each.plan.segments = std::move(stored.segments);
    for (std::size_t i = 0; i < stored.values.size(); ++i)
      each.plan.places.push_back({stored.values[i], stored.in_segments[i], stored.offsets[i]});
  }
  return addresses;
}

}  // namespace graphbench::package
