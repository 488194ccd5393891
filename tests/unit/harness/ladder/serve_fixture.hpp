// A fixture for tests of ladders: makes a task and serves it on the host device.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "graphs/abi/plugin.hpp"
#include "graphs/backends/registry.hpp"
#include "harness/ladder/serve.hpp"
#include "harness/ladder/traffic.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/sample_plan.hpp"
#include "workloads/builtin.hpp"

namespace graphbench::ladder {

inline ServeTask task_of(const std::string& workload = "mlp", const std::string& mode = "whole",
                         std::vector<std::int64_t> sizes = {4}, const std::string& traffic = "uniform:1:4",
                         std::int64_t steps = 8) {
  ServeTask task;
  task.task = test::sample_task(mode, {});
  task.task.workload = workload;
  task.sizes = std::move(sizes);
  task.placements = 1;
  task.rows = make_trace(read_traffic("--traffic", traffic), {.steps = steps, .rate = {}, .seed = 5}).rows;
  return task;
}

class Serve : public ::testing::Test {
 protected:
  void SetUp() override { workloads::add_builtin(registry_); }
  ServeAnswer serve_program(const ServeTask& task, const ir::Program& program) {
    const std::unique_ptr<Device> device = open_device("host");
    measure::TaskRig rig(task.task, *device, program);
    measure::StartupClock clock(0);
    ServeAnswer answer;
    Buffer taken;
    const auto move = [&](std::uint64_t) {
      rig.release();
      if (room_ > 0) taken = Buffer(*device, device->memory().free_bytes - room_);
    };
    serve(task, rig, clock, {[] {}, move}, answer);
    return answer;
  }
  ServeAnswer serve_task(const ServeTask& task) {
    return serve_program(task, measure::build_program(registry_, task.task));
  }
  ErrorCode failure(const ServeTask& task, const ir::Program& program, const std::string& text) {
    const Error error = test::error_of([&] { serve_program(task, program); });
    EXPECT_THAT(error.what(), ::testing::HasSubstr(text));
    return error.code();
  }
  abi::WorkloadRegistry registry_;
  std::size_t room_ = 0;  // bytes that are left free from the second placement on; 0: all
};

}  // namespace graphbench::ladder
