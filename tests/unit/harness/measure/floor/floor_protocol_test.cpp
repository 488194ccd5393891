// What crosses the floor process's pipes arrives as it was sent.
#include <gtest/gtest.h>

#include "graphs/base/error.hpp"
#include "harness/measure/floor/floor_process.hpp"

namespace graphbench::floors {
namespace {

TEST(FloorProtocol, ARequestSurvivesTheWay) {
  FloorRequest request{"cuda:1", true, {}};
  request.instruments.cpu = 3;
  const FloorRequest read = decode_request(encode_request(request));
  EXPECT_EQ(read.device, "cuda:1");
  EXPECT_TRUE(read.complete);
  EXPECT_EQ(read.instruments.cpu, 3);
}

TEST(FloorProtocol, AnAnswerSurvivesTheWayAbsencesIncluded) {
  FloorAnswer answer;
  answer.facts.name = "a device";
  answer.floors.kernel_launch = model::Floor{.p50 = 2.5e-6, .count = 40};
  model::FloorShape& shape = answer.floors.shapes.emplace_back();
  shape.shape = "forked";
  shape.points.push_back({2, {1e-6, 5}, {2e-6, 6}, {3e-6, 7}});
  const FloorAnswer read = decode_answer(encode_answer(answer));
  EXPECT_EQ(read.facts.name, "a device");
  EXPECT_DOUBLE_EQ(read.floors.kernel_launch->p50, 2.5e-6);
  EXPECT_FALSE(read.floors.clock_pair.has_value());
  ASSERT_EQ(read.floors.shapes.size(), 1u);
  EXPECT_EQ(read.floors.shapes[0].points[0].instantiate.count, 7);
}

TEST(FloorProtocol, AnotherLineIsRefused) {
  EXPECT_THROW(decode_answer("{}"), Error);
  EXPECT_THROW(decode_answer("not json"), Error);
}

}  // namespace
}  // namespace graphbench::floors
