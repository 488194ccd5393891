// The columns that no sweep on the host device can fill. NumPy opens whole files in tests/integration.
#include "harness/sweep/report/sample_file.hpp"

#include <gtest/gtest.h>
#include <zip.h>

#include <memory>
#include <string_view>

namespace graphbench::reporters {
namespace {

// The elements of one array of bytes: what follows the header's line.
std::vector<int> bytes_of(const std::string& file, const char* member) {
  zip_error_t error{};
  zip_source_t* source = zip_source_buffer_create(file.data(), file.size(), 0, &error);
  const std::unique_ptr<zip_t, decltype(&zip_discard)> archive(
      zip_open_from_source(source, ZIP_RDONLY, &error), &zip_discard);
  EXPECT_NE(archive, nullptr);
  const std::unique_ptr<zip_file_t, decltype(&zip_fclose)> part(zip_fopen(archive.get(), member, 0),
                                                                &zip_fclose);
  EXPECT_NE(part, nullptr) << member;
  std::string array(4096, '\0');
  const zip_int64_t size = zip_fread(part.get(), array.data(), array.size());
  EXPECT_GT(size, 0);
  array.resize(static_cast<std::size_t>(size));
  std::vector<int> elements;
  for (const char byte : std::string_view(array).substr(array.find('\n') + 1)) elements.push_back(byte);
  return elements;
}

model::Launch launch_of(bool throttled) {
  model::Launch launch{};
  launch.latency_samples = {3e-6, 1e-6, 2e-6};
  launch.submit_samples = {2e-6, 1e-6, 1e-6};
  launch.latency_started_ns = {1, 2, 3};
  launch.device_samples = {1e-6, 1e-6};
  launch.device_started_ns = {4, 5};
  launch.machine.emplace().throttled = throttled;
  return launch;
}

TEST(SampleFile, FlagsSamplesOfAThrottledLaunch) {
  model::Result result;
  model::CellResult& cell = result.cells.emplace_back();
  cell.launches = {launch_of(false), launch_of(true), launch_of(true)};
  cell.launches[2].machine.reset();
  EXPECT_EQ(bytes_of(to_sample_file(result), "throttled.npy"),
            (std::vector<int>{0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0}));
}

TEST(SampleFile, SaysWhichPlacementASampleIsOf) {
  model::Result result;
  model::Launch& launch = result.cells.emplace_back().launches.emplace_back(launch_of(false));
  launch.placements.resize(2);
  for (model::LaunchPlacement& placement : launch.placements)
    placement.latency_samples = placement.device_samples = 1;
  EXPECT_EQ(bytes_of(to_sample_file(result), "placement.npy"), (std::vector<int>{0, 1, 2, 1, 2}));
}

}  // namespace
}  // namespace graphbench::reporters
