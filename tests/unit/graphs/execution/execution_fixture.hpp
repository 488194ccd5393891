// A small program on the fake device with everything an executor needs.
#pragma once

#include <gmock/gmock.h>

#include <memory>

#include "graphs/execution/executor.hpp"
#include "tests/support/fake_device.hpp"
#include "tests/support/print.hpp"
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
  pool::MemoryPool eager_pool_{device_};
  pool::MemoryPool graph_pool_{device_};
};

}  // namespace graphbench::execution
