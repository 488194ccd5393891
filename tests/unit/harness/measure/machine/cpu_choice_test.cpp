// Tests which CPUs may submit, on made-up machines and on one that hwloc reads. Tests CPU quotas and the
// CPU's state, from files that the test writes.
#include "harness/measure/machine/cpu_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <numeric>

#include "harness/measure/machine/cpu_state.hpp"
#include "tests/support/temporary_folder.hpp"

namespace graphbench::measure {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<int> numbers(int first, int count) {
  std::vector<int> cpus(static_cast<std::size_t>(count));
  std::iota(cpus.begin(), cpus.end(), first);
  return cpus;
}

// Two processors of eight CPUs each; CPUs with even numbers are faster. The device is near the first one.
CpuTopology two_processors() {
  CpuTopology topology{.cpus = {}, .device_place_known = true};
  for (const int cpu : numbers(0, 16))
    topology.cpus.push_back(
        {.number = cpu, .processor = cpu / 8, .speed = cpu % 2 == 0 ? 1 : 0, .near_device = cpu < 8});
  return topology;
}

TEST(ChooseCpus, TakesTheHigherHalfEightAtMostWhereAllAreAlike) {
  EXPECT_THAT(choose_cpus({}, {3}).cpus, ElementsAre(3));
  EXPECT_THAT(choose_cpus({}, {0, 1, 2}).cpus, ElementsAre(2));
  EXPECT_THAT(choose_cpus({}, {0, 1, 5, 7}).cpus, ElementsAre(5, 7));
  EXPECT_THAT(choose_cpus({}, numbers(0, 64)).cpus, ElementsAre(56, 57, 58, 59, 60, 61, 62, 63));
  EXPECT_EQ(choose_cpus({}, {3}).locality, "unknown");
  EXPECT_EQ(choose_cpus({}, {3}).cores, "alike");
  EXPECT_THAT(choose_cpus({}, {}).cpus, IsEmpty());
}

TEST(ChooseCpus, TakesFastOnesNearTheDevice) {
  const model::SubmitterCpus choice = choose_cpus(two_processors(), numbers(0, 16));
  EXPECT_THAT(choice.cpus, ElementsAre(4, 6));
  EXPECT_EQ(choice.locality, "near");
  EXPECT_EQ(choice.cores, "performance");
}

TEST(ChooseCpus, PrefersNearnessToSpeedAndSaysWhatIsLacking) {
  const model::SubmitterCpus slow = choose_cpus(two_processors(), {1, 3, 8, 10});
  EXPECT_THAT(slow.cpus, ElementsAre(3));
  EXPECT_EQ(slow.locality, "near");
  EXPECT_EQ(slow.cores, "efficiency");
  const model::SubmitterCpus far = choose_cpus(two_processors(), numbers(8, 8));
  EXPECT_THAT(far.cpus, ElementsAre(12, 14));
  EXPECT_EQ(far.locality, "far");
}

TEST(ChooseCpus, StaysOnOneProcessorWhereTheDevicesPlaceIsUnknown) {
  CpuTopology topology = two_processors();
  topology.device_place_known = false;
  for (Cpu& cpu : topology.cpus) cpu = {.number = cpu.number, .processor = cpu.number % 2};
  EXPECT_THAT(choose_cpus(topology, numbers(0, 16)).cpus, ElementsAre(9, 11, 13, 15));
}

TEST(ChooseSubmitter, IsForThoseWhoPinAndNameNoCpu) {
  model::InstrumentOptions options;
  EXPECT_FALSE(choose_submitter(options, {0, 1}, "")->cpus.empty());
  EXPECT_EQ(choose_submitter(options, {0, 1}, "")->locality, "") << "the device is the CPU";
  options.cpu = 1;
  EXPECT_FALSE(choose_submitter(options, {0, 1}, "").has_value());
  options.cpu.reset();
  options.pin = false;
  EXPECT_FALSE(choose_submitter(options, {0, 1}, "").has_value());
}

// Two processors of one core each, with two CPUs. The device is attached to `place`: "Machine", or the second
// "Package".
std::string machine_with_device(const std::string& place) {
  const std::string device = R"(<object type="PCIDev" gp_index="90" pci_busid="0000:65:00.0" )"
                             R"(pci_type="0302 [10de:2335] [10de:0000] a1" pci_link_speed="0.0"/>)";
  const auto object = [](const char* type, int index, int cpus, int id, const std::string& inside) {
    char head[256];
    std::snprintf(head, sizeof head,
                  R"(<object type="%s" os_index="%d" cpuset="0x%x" complete_cpuset="0x%x" nodeset="0x1" )"
                  R"(complete_nodeset="0x1" allowed_cpuset="0xf" allowed_nodeset="0x1" gp_index="%d">)",
                  type, index, static_cast<unsigned>(cpus), static_cast<unsigned>(cpus), id);
    return head + inside + "</object>\n";
  };
  std::string inside = object("NUMANode", 0, 0xf, 50, "");
  for (int package = 0; package < 2; ++package) {
    std::string units;
    for (int cpu = 2 * package; cpu < 2 * package + 2; ++cpu)
      units += object("PU", cpu, 1 << cpu, 20 + cpu, "");
    units = object("Core", package, 3 << (2 * package), 10 + package, units);
    if (place == "Package" && package == 1) units += device;
    inside += object("Package", package, 3 << (2 * package), 30 + package, units);
  }
  if (place == "Machine") inside += device;
  // hwloc's reader requires these lines in exactly this form.
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
         "<topology version=\"2.0\">\n" +
         object("Machine", 0, 0xf, 1, inside) +
         "<cpukind cpuset=\"0x5\" forced_efficiency=\"1\"/>\n"
         "<cpukind cpuset=\"0xa\" forced_efficiency=\"0\"/>\n</topology>\n";
}

class ReadCpuTopologyTest : public ::testing::Test {
 protected:
  CpuTopology read(const std::string& place, const std::string& device) const {
    return read_cpu_topology(device, folder_.write("machine.xml", machine_with_device(place)));
  }
  test::TemporaryFolder folder_;
};

TEST_F(ReadCpuTopologyTest, KnowsProcessorsKindsAndWhatIsNearTheDevice) {
  const CpuTopology topology = read("Package", "0000:65:00.0");
  EXPECT_TRUE(topology.device_place_known);
  ASSERT_EQ(topology.cpus.size(), 4u);
  for (const Cpu& cpu : topology.cpus) {
    EXPECT_EQ(cpu.processor, cpu.number / 2);
    EXPECT_EQ(cpu.core, cpu.number / 2);
    EXPECT_EQ(cpu.near_device, cpu.number >= 2) << cpu.number;
    EXPECT_EQ(cpu.speed, cpu.number % 2 == 0 ? 1 : 0) << cpu.number;
  }
}

TEST_F(ReadCpuTopologyTest, DoesNotKnowThePlaceOfADeviceThatIsNotListedOrIsEverywhere) {
  EXPECT_FALSE(read("Package", "0000:66:00.0").device_place_known);
  EXPECT_FALSE(read("Machine", "0000:65:00.0").device_place_known);
  EXPECT_FALSE(read("Package", "").device_place_known);
}

TEST(ReadCpuTopology, FindsThisMachinesCpus) {
  EXPECT_FALSE(read_cpu_topology("").cpus.empty());
}

class CpuQuotaTest : public ::testing::Test {
 protected:
  void file(const std::string& path, const std::string& text) const { folder_.write(path, text); }
  std::optional<double> read() const { return read_cpu_state({}, folder_.path()).cpu_quota; }

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

class CpuStateTest : public ::testing::Test {
 protected:
  void file(const std::string& path, const std::string& text) const { folder_.write(path, text); }
  model::CpuState read() const { return read_cpu_state({}, folder_.path()); }

 private:
  test::TemporaryFolder folder_;
};

TEST_F(CpuStateTest, WhatTheSystemDoesNotSayIsAbsent) {
  const model::CpuState state = read();
  EXPECT_EQ(state.governor, "");
  EXPECT_FALSE(state.turbo.has_value());
  EXPECT_FALSE(state.load_average.has_value());
}

TEST_F(CpuStateTest, ReadsGovernorTurboAndLoad) {
  file("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  file("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n");
  file("sys/devices/system/cpu/cpufreq/boost", "0\n");
  file("proc/loadavg", "1.25 0.5 0.1 1/100 4242\n");
  const model::CpuState state = read();
  EXPECT_EQ(state.governor, "powersave");
  EXPECT_EQ(state.turbo, false);
  EXPECT_DOUBLE_EQ(*state.load_average, 1.25);
}

TEST_F(CpuStateTest, GovernorsThatDifferAreMixedAndIntelsSwitchTurnsTurboOff) {
  file("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  file("sys/devices/system/cpu/cpu11/cpufreq/scaling_governor", "performance\n");
  file("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
  EXPECT_EQ(read().governor, "mixed");
  EXPECT_EQ(read().turbo, true);
}

}  // namespace
}  // namespace graphbench::measure
