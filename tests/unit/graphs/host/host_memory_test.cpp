// The host device gives out the memory that exists, and refuses the rest.
#include "graphs/host/host_memory.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

#include "tests/support/refusal.hpp"

namespace graphbench::host {
namespace {

constexpr std::size_t mib = 1024 * 1024;

// Sets the limit for one test and puts the environment back.
class LimitedMemory : public ::testing::Test {
 protected:
  LimitedMemory() {
    if (const char* text = std::getenv(memory_limit_variable)) before_ = text;
    setenv(memory_limit_variable, std::to_string(16 * mib).c_str(), 1);
  }
  ~LimitedMemory() override {
    if (before_.empty()) {
      unsetenv(memory_limit_variable);
    } else {
      setenv(memory_limit_variable, before_.c_str(), 1);
    }
  }

 private:
  std::string before_;
};

ErrorCode code_of_allocating(HostMemory& memory, std::size_t bytes) {
  return test::error_of([&] { memory.deallocate(memory.allocate(bytes)); }).code();
}

TEST_F(LimitedMemory, TheVariableIsTheDevicesMemory) {
  HostMemory memory;
  EXPECT_EQ(memory.info().total_bytes, 16 * mib);
  EXPECT_EQ(memory.info().free_bytes, 16 * mib);
}

TEST_F(LimitedMemory, BeyondTheLimitIsOutOfMemory) {
  HostMemory memory;
  EXPECT_EQ(code_of_allocating(memory, 17 * mib), ErrorCode::out_of_memory);
  void* held = memory.allocate(10 * mib);
  EXPECT_EQ(memory.info().free_bytes, 6 * mib);
  EXPECT_EQ(code_of_allocating(memory, 7 * mib), ErrorCode::out_of_memory);
  memory.deallocate(held);
  EXPECT_EQ(memory.info().free_bytes, 16 * mib);
  memory.deallocate(memory.allocate(16 * mib));
}

TEST_F(LimitedMemory, MemoryIsAlignedAndCountedInFull) {
  HostMemory memory;
  void* data = memory.allocate(1);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 512, 0u);
  EXPECT_EQ(memory.allocated_bytes(), 512u);
  memory.deallocate(data);
  EXPECT_EQ(memory.allocated_bytes(), 0u);
}

TEST_F(LimitedMemory, ALimitThatIsNoNumberIsRefused) {
  for (const char* text : {"", "0", "-1", "1G", "12 ", "99999999999999999999999"}) {
    setenv(memory_limit_variable, text, 1);
    EXPECT_THROW(HostMemory(), Error) << text;
  }
}

TEST(HostMemory, WhatTheMachineOnlyPromisesIsOutOfMemory) {
  HostMemory memory;
  EXPECT_EQ(code_of_allocating(memory, read_system_memory().available_bytes), ErrorCode::out_of_memory);
  EXPECT_EQ(code_of_allocating(memory, std::numeric_limits<std::size_t>::max()), ErrorCode::out_of_memory);
}

TEST(SystemMemory, AvailableIsAPartOfTheTotal) {
  const SystemMemory memory = read_system_memory();
  EXPECT_GT(memory.available_bytes, 0u);
  EXPECT_LE(memory.available_bytes, memory.total_bytes);
}

}  // namespace
}  // namespace graphbench::host
