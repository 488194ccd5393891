// Which devices there are, and what opening one that is not there says.
#include "graphs/backends/registry.hpp"

#include <gmock/gmock.h>

#include "tests/support/refusal.hpp"

namespace graphbench {
namespace {

using ::testing::HasSubstr;

ErrorCode code_of_opening(const std::string& spec) {
  const Error error = test::error_of([&] { open_device(spec); });
  EXPECT_THAT(error.what(), HasSubstr(spec));
  return error.code();
}

TEST(Registry, HostIsAlwaysThere) {
  const std::vector<DeviceStatus> statuses = list_devices();
  ASSERT_GE(statuses.size(), 2u);
  EXPECT_EQ(statuses.back().id, "host");
  EXPECT_TRUE(statuses.back().available);
  EXPECT_EQ(open_device("host")->info().kind, "host");
}

TEST(Registry, WhatIsNotAvailableSaysWhy) {
  for (const DeviceStatus& status : list_devices()) {
    EXPECT_NE(status.detail, "") << status.id;
    EXPECT_EQ(status.advice.empty(), status.available) << status.id;
  }
}

TEST(Registry, AutoOpensADeviceThatWorks) {
  EXPECT_NE(open_device("auto"), nullptr);
}

TEST(Registry, OtherWordsAreRefused) {
  for (const char* spec :
       {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cuda0", "host:0", "cuda:99999999999"}) {
    EXPECT_EQ(code_of_opening(spec), ErrorCode::invalid_argument) << spec;
  }
}

TEST(Registry, ADeviceThatIsNotThereIsUnsupported) {
  EXPECT_EQ(code_of_opening("cuda:4095"), ErrorCode::unsupported);
}

}  // namespace
}  // namespace graphbench
