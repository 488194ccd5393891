// An executor for unit tests: nothing to capture, no outputs. A test says what a step does.
#pragma once

#include "graphs/execution/executor.hpp"

namespace graphbench::test {

class FakeExecutor : public execution::Executor {
 public:
  Executor& eager() override { return *this; }
  void capture() override {}
  void instantiate() override {}
  void upload() override {}
  void enqueue_step() override {}
  execution::StepCounts counts() const override { return {}; }
  const void* output(ir::ValueId) const override { return nullptr; }
};

}  // namespace graphbench::test
