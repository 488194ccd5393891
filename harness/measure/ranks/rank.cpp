// Barriers, decisions and errors of a group of ranks, in memory that its processes share.
#include "harness/measure/ranks/rank.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "graphs/base/files.hpp"

namespace graphbench::ranks {
namespace {

// A rank that waits briefly spins, so that it goes on at once. Longer waits leave the CPU to others.
void pause(std::int64_t turn) {
  constexpr std::int64_t spins = 20'000;
  constexpr std::int64_t yields = 40'000;
  if (turn < spins) return;
  if (turn < yields) {
    sched_yield();
  } else {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
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

Rank::~Rank() {
  munmap(block_, sizeof(Block));
}

std::string Rank::device_after(const std::string& first) const {
  if (first.starts_with("host")) return first;
  const std::size_t colon = first.find(':');
  const std::int64_t number = colon == std::string::npos ? 0 : std::atoll(first.c_str() + colon + 1);
  return first.substr(0, colon) + ":" + std::to_string(number + index_);
}

std::vector<int> Rank::share_of(const std::vector<int>& cpus) const {
  const auto size = static_cast<std::int64_t>(cpus.size());
  if (size < count_) return cpus;
  return {cpus.begin() + size * index_ / count_, cpus.begin() + size * (index_ + 1) / count_};
}

// Returns false if the wait ended because another rank has failed.
bool Rank::wait(Barrier& barrier, bool until_failure) {
  own().moves.fetch_add(1, std::memory_order_relaxed);
  const std::int64_t round = barrier.round.load();
  if (barrier.arrived.fetch_add(1) + 1 == count_) {
    barrier.arrived.store(0);
    barrier.round.store(round + 1);
    return true;
  }
  own().waiting.store(true, std::memory_order_relaxed);
  bool met = true;
  for (std::int64_t turn = 0; barrier.round.load(std::memory_order_acquire) == round; ++turn) {
    met = !until_failure || !block_->failed.load(std::memory_order_relaxed);
    if (!met) break;
    pause(turn);
  }
  own().waiting.store(false, std::memory_order_relaxed);
  return met;
}

void Rank::meet() {
  if (!block_->failed.load(std::memory_order_relaxed) && wait(block_->meeting, true)) return;
  left_ = true;
  throw Error(ErrorCode::step_failed, "another rank failed");
}

void Rank::begin_step() {
  own().steps.fetch_add(1, std::memory_order_relaxed);
  meet();
  meet();
}

// Decisions have two places in turn, so that rank 0 cannot overwrite one that a slower rank still has to
// read.
std::int64_t Rank::decide(std::int64_t mine) {
  std::atomic<std::int64_t>& decision = block_->decisions[decided_++ % 2];
  if (index_ == 0) decision.store(mine);
  meet();
  return decision.load();
}

std::vector<std::vector<std::int64_t>> Rank::gather(const std::vector<std::int64_t>& mine) {
  std::vector<std::vector<std::int64_t>> all(static_cast<std::size_t>(count_));
  for (std::size_t begin = 0; begin < mine.size(); begin += numbers_max) {
    const std::size_t size = std::min(numbers_max, mine.size() - begin);
    std::copy_n(mine.begin() + static_cast<std::ptrdiff_t>(begin), size, own().numbers);
    meet();
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i].insert(all[i].end(), block_->slots[i].numbers, block_->slots[i].numbers + size);
    meet();
  }
  return all;
}

std::optional<Error> Rank::settle(std::optional<Error> mine) {
  if (mine && !left_) {
    note(*mine);
    block_->failed.store(true);
  }
  left_ = false;
  wait(block_->settling, false);
  std::optional<Error> first;
  bool alike = true;
  for (std::int64_t i = count_ - 1; i >= 0; --i) {
    alike = alike && std::string_view(block_->slots[i].failure) == own().failure;
    const std::optional<Error> error = error_of(block_->slots[i]);
    if (error) first.emplace(error->code(), "rank " + std::to_string(i) + ": " + error->what());
  }
  if (first && alike) first = error_of(own());
  wait(block_->settling, false);
  own().failure[0] = '\0';
  if (index_ == 0) {
    block_->meeting.arrived.store(0);
    block_->failed.store(false);
  }
  decided_ = 0;
  wait(block_->settling, false);
  return first;
}

void Rank::note(std::int64_t batch, std::string_view phase) {
  if (own().batch.load() == batch && phase == own().phase) return;
  own().batch.store(batch);
  write_text(own().phase, phase);
  own().moves.fetch_add(1, std::memory_order_relaxed);
}

void Rank::note(const Error& error) {
  write_text(own().failure, std::to_string(static_cast<int>(error.code())) + " " + error.what());
}

}  // namespace graphbench::ranks
