// Synchronizes the ranks of a group and exchanges their numbers and errors, in shared memory.
#include "harness/measure/ranks/rank.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "graphs/base/files.hpp"

namespace graphbench::ranks {
namespace {

// A short wait spins, so that the rank continues at once. A longer wait leaves the CPU to other threads.
void pause(std::int64_t turn) {
  if (turn > 40'000) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  } else if (turn > 20'000) {
    sched_yield();
  }
}

template <std::size_t size>
void write_text(char (&to)[size], std::string_view text) {
  to[text.copy(to, size - 1)] = '\0';
}

}  // namespace

std::optional<Error> error_of(const Slot& slot) {
  const std::string text = slot.failure;
  if (text.empty()) return std::nullopt;
  return Error(static_cast<ErrorCode>(std::atoi(text.c_str())), text.substr(text.find(' ') + 1));
}

std::unique_ptr<Rank> Rank::join() {
  const char* const file = std::getenv(block_variable);
  if (file == nullptr) return nullptr;
  const Descriptor opened(open(file, O_RDWR | O_CLOEXEC));
  void* const block = mmap(nullptr, sizeof(Block), PROT_READ | PROT_WRITE, MAP_SHARED, opened.get(), 0);
  if (block == MAP_FAILED) throw Error(ErrorCode::io, std::string("join ranks: cannot map ") + file);
  const auto number = [](const char* variable) { return std::atoll(std::getenv(variable)); };
  return std::unique_ptr<Rank>(new Rank(static_cast<Block*>(block), number("RANK"), number("WORLD_SIZE")));
}

std::string Rank::device_after(const std::string& first) const {
  const std::size_t colon = first.find(':');
  if (first.starts_with("host")) return first;
  return first.substr(0, colon + 1) + std::to_string(std::atoll(first.c_str() + colon + 1) + index_);
}

std::vector<int> Rank::share_of(const std::vector<int>& cpus) const {
  const auto size = static_cast<std::int64_t>(cpus.size());
  if (size < count_) return cpus;
  return {cpus.begin() + size * index_ / count_, cpus.begin() + size * (index_ + 1) / count_};
}

void Rank::wait(Barrier& barrier) {
  ++own().moves;
  const std::int64_t round = barrier.round.load();
  if (barrier.arrived.fetch_add(1) + 1 == count_) {
    barrier.arrived = 0;
    barrier.round = round + 1;
    return;
  }
  own().waiting = true;
  for (std::int64_t turn = 0; barrier.round.load() == round; ++turn) pause(turn);
  own().waiting = false;
}

// The first barrier waits for the slowest rank. The wait at the second is short: all spin and go on at once.
void Rank::begin_step() {
  ++own().steps;
  meet();
  meet();
}

std::array<std::vector<std::int64_t>, 3> Rank::gather(const Numbers& mine) {
  own().numbers = mine;
  meet();
  std::array<std::vector<std::int64_t>, 3> all;
  for (std::int64_t rank = 0; rank < count_; ++rank) {
    for (std::size_t i = 0; i < all.size(); ++i) all[i].push_back(block_->slots[rank].numbers[i]);
  }
  meet();
  return all;
}

double Rank::largest(double mine) {
  const auto all = gather({std::bit_cast<std::int64_t>(mine)});
  for (const std::int64_t each : all[0]) mine = std::max(mine, std::bit_cast<double>(each));
  return mine;
}

void Rank::combine(std::int64_t& started_ns, std::int64_t& submit_ns, std::int64_t& latency_ns) {
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

std::optional<Error> Rank::settle(std::optional<Error> mine) {
  if (mine) note(*mine);
  wait(block_->settling);
  std::optional<Error> first;
  bool alike = true;
  for (std::int64_t i = count_ - 1; i >= 0; --i) {
    alike = alike && std::string_view(block_->slots[i].failure) == own().failure;
    const std::optional<Error> error = error_of(block_->slots[i]);
    if (error) first.emplace(error->code(), "rank " + std::to_string(i) + ": " + error->what());
  }
  if (first && alike) first = error_of(own());
  wait(block_->settling);
  own().failure[0] = '\0';
  return first;
}

void Rank::note(std::int64_t batch, std::string_view phase) {
  if (own().batch == batch && phase == own().phase) return;
  own().batch = batch;
  write_text(own().phase, phase);
  ++own().moves;
}

void Rank::note(const Error& error) {
  write_text(own().failure, std::to_string(static_cast<int>(error.code())) + " " + error.what());
}

}  // namespace graphbench::ranks
