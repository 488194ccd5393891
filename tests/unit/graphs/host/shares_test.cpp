// The host divided into devices: disjoint CPUs, and names that are refused.
#include <gmock/gmock.h>

#include <cstdlib>

#include "graphs/host/cpu.hpp"
#include "graphs/host/host_device.hpp"
#include "tests/support/refusal.hpp"

namespace graphbench::host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Shares : public testing::Test {
 protected:
  ~Shares() override { unsetenv(shares_variable); }
  static void divide(const char* text) { setenv(shares_variable, text, 1); }
  static std::string error(const std::string& device) {
    return test::error_of([&] { share_of(device); }).what();
  }
};

TEST_F(Shares, DivideCpusWithoutOverlap) {
  divide("3");
  const std::vector<int> cpus = {0, 1, 4, 5, 6};
  EXPECT_THAT(cpus_of(0, cpus), ElementsAre(0));
  EXPECT_THAT(cpus_of(1, cpus), ElementsAre(1, 4));
  EXPECT_THAT(cpus_of(2, cpus), ElementsAre(5, 6));
  EXPECT_THAT(test::error_of([&] { cpus_of(0, {0, 1}); }).what(), HasSubstr("there are 2 CPUs to divide"));
}

TEST_F(Shares, AreDevicesOfTheirOwn) {
  divide("2");
  EXPECT_EQ(share_of("host:1"), 1);
  EXPECT_EQ(share_of("host"), std::nullopt);
  EXPECT_THAT(error("host:2"), HasSubstr("host:0 to host:1"));
  std::vector<std::string> ids;
  for (const DeviceStatus& status : make_host_backend()->devices()) ids.push_back(status.id);
  EXPECT_THAT(ids, ElementsAre("host", "host:0", "host:1"));
  EXPECT_EQ(make_host_backend()->open(2)->info().uuid, "host:1");
}

TEST_F(Shares, AreNotThereUnasked) {
  EXPECT_THAT(error("host:0"), HasSubstr("set GRAPHBENCH_HOST_DEVICES=N"));
  for (const char* text : {"0", "x", "-1", "", "1025"}) {
    divide(text);
    EXPECT_THAT(test::error_of([] { shares(); }).what(), HasSubstr("give a number of devices")) << text;
  }
}

}  // namespace
}  // namespace graphbench::host
