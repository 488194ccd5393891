// How much device memory there is of each kind, now and at its highest: every Buffer is booked here.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace graphbench {

enum class MemoryKind : std::uint8_t {
  program,    // weights, inputs, state, activations
  weights,    // of `program`
  workspace,  // scratch of libraries and ops
  tuning,     // operands of candidates that are timed
  harness     // of measuring itself: what empties caches, what is left unused
};

class MemoryTally {
 public:
  void add(MemoryKind kind, std::size_t bytes) noexcept {
    Account& account = of(kind);
    account.now += bytes;
    account.most = std::max(account.most, account.now);
  }
  void remove(MemoryKind kind, std::size_t bytes) noexcept { of(kind).now -= bytes; }
  std::size_t now(MemoryKind kind) const noexcept { return accounts_[static_cast<std::size_t>(kind)].now; }
  std::size_t most(MemoryKind kind) const noexcept { return accounts_[static_cast<std::size_t>(kind)].most; }
  // All kinds together.
  std::size_t total() const noexcept {
    std::size_t bytes = 0;
    for (const Account& account : accounts_) bytes += account.now;
    return bytes - now(MemoryKind::weights);
  }

 private:
  struct Account {
    std::size_t now = 0;
    std::size_t most = 0;
  };
  Account& of(MemoryKind kind) noexcept { return accounts_[static_cast<std::size_t>(kind)]; }

  std::array<Account, 5> accounts_;
};

// An entry of a tally, as long as it lives. Move-only.
class Tallied {
 public:
  Tallied() = default;
  Tallied(MemoryTally& tally, MemoryKind kind, std::size_t bytes) noexcept
      : tally_(&tally), kind_(kind), bytes_(bytes) {
    tally.add(kind, bytes);
  }
  Tallied(Tallied&& other) noexcept { swap(other); }
  Tallied& operator=(Tallied&& other) noexcept {
    Tallied(std::move(other)).swap(*this);
    return *this;
  }
  ~Tallied() {
    if (tally_ != nullptr) tally_->remove(kind_, bytes_);
  }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  void swap(Tallied& other) noexcept {
    std::swap(tally_, other.tally_);
    std::swap(kind_, other.kind_);
    std::swap(bytes_, other.bytes_);
  }

  MemoryTally* tally_ = nullptr;
  MemoryKind kind_ = MemoryKind::program;
  std::size_t bytes_ = 0;
};

}  // namespace graphbench
