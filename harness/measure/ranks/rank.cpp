// Synchronizes the ranks of a group and exchanges their numbers and errors, in shared memory.
#include "harness/measure/ranks/rank.hpp"

#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "graphs/base/files.hpp"

namespace graphbench::measure {

std::optional<Error> error_of(const Slot& slot) {
  const std::string text(slot.failure, strnlen(slot.failure, sizeof slot.failure));
  if (text.empty()) return std::nullopt;
  return Error(static_cast<ErrorCode>(std::atoi(text.c_str())), text.substr(text.find(' ') + 1));
}

std::shared_ptr<Block> map_block(const std::string& file) {
  const Descriptor opened(open(file.c_str(), O_RDWR | O_CLOEXEC));
  void* block = MAP_FAILED;
  if (ftruncate(opened.get(), sizeof(Block)) == 0)
    block = mmap(nullptr, sizeof(Block), PROT_READ | PROT_WRITE, MAP_SHARED, opened.get(), 0);
  if (block == MAP_FAILED) throw Error(ErrorCode::io, "join ranks: cannot map " + file);
  return {static_cast<Block*>(block), [](Block* mapped) { munmap(mapped, sizeof(Block)); }};
}

Rank Rank::join() {
  Rank rank;
  const char* const file = std::getenv(block_variable);
  if (file == nullptr) return rank;
  rank.block_ = map_block(file);
  rank.index_ = std::atoll(std::getenv("RANK"));
  rank.count_ = std::atoll(std::getenv("WORLD_SIZE"));
  return rank;
}

std::vector<int> Rank::share_of(const std::vector<int>& cpus) const {
  const auto size = static_cast<std::int64_t>(cpus.size());
  if (size < count_) return cpus;
  return {cpus.begin() + size * index_ / count_, cpus.begin() + size * (index_ + 1) / count_};
}

void Rank::wait(Barrier& barrier) const {
  const std::int64_t round = barrier.round.load();
  if (barrier.arrived.fetch_add(1) + 1 == count_) {
    barrier.arrived = 0;
    barrier.round = round + 1;
    return;
  }
  own().waiting = true;
  // A short wait spins, so that the rank continues at once. A longer wait leaves the CPU to other threads.
  for (std::int64_t turn = 0; barrier.round.load() == round; ++turn) {
    if (turn > 20'000) sched_yield();
    if (turn > 40'000) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  own().waiting = false;
}

// The first barrier waits for the slowest rank. The wait at the second barrier is short, so every rank spins
// there and continues at once.
void Rank::begin_step() const {
  if (alone()) return;
  ++own().steps;
  meet();
  meet();
}

std::array<std::vector<std::int64_t>, 3> Rank::gather(const Numbers& mine) const {
  own().numbers = mine;
  meet();
  std::array<std::vector<std::int64_t>, 3> all;
  for (std::int64_t rank = 0; rank < count_; ++rank) {
    for (std::size_t i = 0; i < all.size(); ++i) all[i].push_back(block_->slots[rank].numbers[i]);
  }
  meet();
  return all;
}

double Rank::largest(double mine) const {
  if (alone()) return mine;
  const auto all = gather({std::bit_cast<std::int64_t>(mine)});
  for (const std::int64_t each : all[0]) mine = std::max(mine, std::bit_cast<double>(each));
  return mine;
}

void Rank::combine(std::int64_t& started_ns, std::int64_t& submit_ns, std::int64_t& latency_ns,
                   GroupTimes* times) const {
  if (alone()) return;
  const auto [starts, submits, ends] = gather({started_ns, submit_ns, started_ns + latency_ns});
  const std::int64_t last_end = std::ranges::max(ends);
  started_ns = std::ranges::min(starts);
  submit_ns = std::ranges::max(submits);
  latency_ns = last_end - started_ns;
  if (times == nullptr) return;
  times->skew_seconds.push_back(static_cast<double>(last_end - std::ranges::min(ends)) * 1e-9);
  times->submit_seconds.resize(submits.size());
  for (std::size_t rank = 0; rank < submits.size(); ++rank)
    times->submit_seconds[rank].push_back(static_cast<double>(submits[rank]) * 1e-9);
}

std::optional<Error> Rank::settle(std::optional<Error> mine) const {
  if (alone()) return mine;
  if (mine) {
    const std::string text = std::to_string(static_cast<int>(mine->code())) + " " + mine->what();
    own().failure[text.copy(own().failure, sizeof own().failure - 1)] = '\0';
  }
  wait(block_->settling);
  std::optional<Error> first;
  bool alike = true;
  for (std::int64_t i = count_ - 1; i >= 0; --i) {
    alike = alike && std::string_view(block_->slots[i].failure) == own().failure;
    const std::optional<Error> error = error_of(block_->slots[i]);
    if (error) first.emplace(error->code(), "rank " + std::to_string(i) + ": " + error->what());
  }
  wait(block_->settling);
  own().failure[0] = '\0';
  return alike ? mine : first;
}

}  // namespace graphbench::measure
