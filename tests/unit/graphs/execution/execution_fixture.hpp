// A fixture with a small program on the fake device and all that an executor needs.
#pragma once

#include <gmock/gmock.h>

#include <memory>

#include "graphs/execution/executor.hpp"
#include "tests/support/fake_device.hpp"
#include "tests/support/print.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/small_programs.hpp"

namespace graphbench::execution {

class ExecutionTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t largest_batch = 8;

  ExecutionContext context_of(const ir::Program& program, ProgramBuffers& buffers,
                              std::vector<std::string> splits = {}) {
    return {.device = device_,
            .stream = *stream_,
            .program = program,
            .buffers = buffers,
            .eager_pool = eager_pool_,
            .graph_pool = &graph_pool_,
            .splits = std::move(splits)};
  }
  ExecutionContext context(std::vector<std::string> splits = {}) {
    return context_of(program_, buffers_, std::move(splits));
  }
  // Lets each device call of `run_once` fail in turn. Checks that no memory block and no graph is leaked,
  // that no capture stays open, and that the next attempt works. Returns the number of device calls.
  template <typename Run>
  std::int64_t expect_each_call_may_fail(const Run& run_once) {
    const auto trim = [&] {
      eager_pool_.trim();
      graph_pool_.trim();
    };
    const std::int64_t start = device_.log.calls;
    run_once();
    const std::int64_t calls = device_.log.calls - start;
    trim();
    const std::int64_t at_rest = device_.log.live_allocations;
    for (std::int64_t fail = 1; fail <= calls && !HasFatalFailure(); ++fail) {
      SCOPED_TRACE("call " + std::to_string(fail));
      device_.log.fail_at = device_.log.calls + fail;
      EXPECT_EQ(test::error_of(run_once).code(), ErrorCode::device_failed);
      device_.log.fail_at = 0;
      EXPECT_EQ(device_.log.live_graphs, 0);
      EXPECT_FALSE(device_.log.capturing);
      EXPECT_EQ(eager_pool_.statistics().in_use_bytes, 0u);
      EXPECT_EQ(graph_pool_.statistics().in_use_bytes, 0u);
      EXPECT_NO_THROW(run_once());
      trim();
      EXPECT_EQ(device_.log.live_allocations, at_rest);
    }
    return calls;
  }
  void prepare(Executor& executor) {
    executor.capture();
    executor.instantiate();
    executor.upload();
  }

  test::FakeDevice device_;
  ir::OpCatalog catalog_;
  ir::Program program_ = test::make_chain(catalog_, 3);
  std::unique_ptr<Stream> stream_ = device_.make_stream();
  ProgramBuffers buffers_{device_, program_, largest_batch};
  MemoryPool eager_pool_{device_};
  MemoryPool graph_pool_{device_};
};

}  // namespace graphbench::execution
