// Reading CPU quotas from trees of files made here.
#include <gtest/gtest.h>

#include "harness/measure/machine/cpu_state.hpp"
#include "tests/support/temporary_folder.hpp"

namespace graphbench::machine {
namespace {

class CpuQuotaTest : public ::testing::Test {
 protected:
  void file(const std::string& path, const std::string& text) const { folder_.write(path, text); }
  std::optional<double> read() const { return read_cpu_quota(folder_.path()); }

 private:
  test::TemporaryFolder folder_;
};

TEST_F(CpuQuotaTest, IsAbsentWhereNothingLimits) {
  EXPECT_FALSE(read().has_value());
  file("proc/self/cgroup", "0::/user/session\n");
  file("sys/fs/cgroup/user/session/cpu.max", "max 100000\n");
  EXPECT_FALSE(read().has_value());
}

TEST_F(CpuQuotaTest, IsTheLeastFromTheGroupUp) {
  file("proc/self/cgroup", "0::/pod/container\n");
  file("sys/fs/cgroup/pod/container/cpu.max", "max 100000\n");
  file("sys/fs/cgroup/pod/cpu.max", "150000 100000\n");
  EXPECT_DOUBLE_EQ(read().value(), 1.5);
  file("sys/fs/cgroup/pod/container/cpu.max", "25000 50000\n");
  EXPECT_DOUBLE_EQ(read().value(), 0.5);
}

TEST_F(CpuQuotaTest, FindsAContainersOwnGroupAtTheRoot) {
  file("proc/self/cgroup", "0::/what/the/host/calls/it\n");
  file("sys/fs/cgroup/cpu.max", "200000 100000\n");
  EXPECT_DOUBLE_EQ(read().value(), 2);
}

TEST_F(CpuQuotaTest, ReadsVersionOne) {
  file("proc/self/cgroup", "4:memory:/docker/a\n3:cpuset:/docker/a\n2:cpu,cpuacct:/docker/a\n");
  file("sys/fs/cgroup/cpuset/docker/a/cpu.cfs_quota_us", "1\n");
  file("sys/fs/cgroup/cpu,cpuacct/docker/a/cpu.cfs_quota_us", "-1\n");
  file("sys/fs/cgroup/cpu,cpuacct/docker/a/cpu.cfs_period_us", "100000\n");
  EXPECT_FALSE(read().has_value());
  file("sys/fs/cgroup/cpu,cpuacct/docker/a/cpu.cfs_quota_us", "75000\n");
  EXPECT_DOUBLE_EQ(read().value(), 0.75);
}

}  // namespace
}  // namespace graphbench::machine
