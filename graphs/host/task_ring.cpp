// Implements waits and wake-ups of the ring. Indices only grow; a slot is an index modulo the capacity.
#include "graphs/host/task_ring.hpp"

namespace graphbench::host {

TaskRing::TaskRing(SpinTimes spin) : spin_(spin), slots_(std::make_unique<Task[]>(capacity)) {}

Task& TaskRing::claim() {
  const std::uint64_t index = published_.load(std::memory_order_relaxed);
  if (index - seen_completed_ >= capacity) {
    seen_completed_ = completed_.load();
    // Waits until half of the ring is empty: a wake-up per free slot would cost both threads time.
    if (index - seen_completed_ >= capacity) wait_completed(index - capacity / 2, spin_.producer);
  }
  return slots_[index % capacity];
}

void TaskRing::publish() noexcept {
  published_.store(published_.load(std::memory_order_relaxed) + 1);
  if (consumer_.occupied()) consumer_.wake();
}

void TaskRing::wait_idle() {
  wait_completed(published_.load(std::memory_order_relaxed), spin_.producer);
}

void TaskRing::wait_idle_asleep() {
  wait_completed(published_.load(std::memory_order_relaxed), std::chrono::microseconds(0));
}

void TaskRing::close() noexcept {
  closed_.store(true);
  consumer_.wake();
}

void TaskRing::wait_completed(std::uint64_t target, std::chrono::microseconds spin) {
  producer_target_.store(target);
  producer_.wait([&] { return completed_.load() >= target; }, spin);
  seen_completed_ = completed_.load();
}

Task* TaskRing::next() {
  const std::uint64_t index = completed_.load(std::memory_order_relaxed);
  if (seen_published_ == index) {
    consumer_.wait([&] { return published_.load() != index || closed_.load(); }, spin_.consumer);
    seen_published_ = published_.load();
    if (seen_published_ == index) return nullptr;
  }
  return &slots_[index % capacity];
}

void TaskRing::complete() noexcept {
  const std::uint64_t done = completed_.load(std::memory_order_relaxed) + 1;
  completed_.store(done);
  if (producer_.occupied() && done >= producer_target_.load()) producer_.wake();
}

}  // namespace graphbench::host
