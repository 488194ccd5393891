// A queue with a bound, between whoever tells and the one connection that listens.
#include "harness/net/body_stream.hpp"

#include <utility>

namespace graphbench::net {

BodyStream::BodyStream(std::string first, std::size_t waiting_max, std::string keep_alive)
    : first_(first.empty() ? nullptr : std::make_shared<const std::string>(std::move(first))),
      waiting_max_(waiting_max),
      keep_alive_(std::make_shared<const std::string>(std::move(keep_alive))) {}

bool BodyStream::put(Bytes bytes) {
  const std::scoped_lock lock(mutex_);
  if (left_ || cut_off_ || ended_) return false;
  waiting_bytes_ += bytes->size();
  waiting_.push_back(std::move(bytes));
  if (waiting_bytes_ > waiting_max_) {
    cut_off_ = true;
    waiting_.clear();
  }
  wake();
  return !cut_off_;
}

void BodyStream::end() {
  const std::scoped_lock lock(mutex_);
  ended_ = true;
  wake();
}

bool BodyStream::listened_to() {
  const std::scoped_lock lock(mutex_);
  return !left_ && !cut_off_;
}

void BodyStream::attach(std::function<void()> wake) {
  const std::scoped_lock lock(mutex_);
  wake_ = std::move(wake);
}

void BodyStream::detach() noexcept {
  const std::scoped_lock lock(mutex_);
  left_ = true;
  wake_ = nullptr;
  waiting_.clear();
}

BodyStream::Taken BodyStream::take() {
  const std::scoped_lock lock(mutex_);
  if (cut_off_) return {Taken::What::cut_off, nullptr};
  if (first_) return {Taken::What::bytes, std::exchange(first_, nullptr)};
  if (waiting_.empty()) return {ended_ ? Taken::What::over : Taken::What::nothing_yet, nullptr};
  Taken taken{Taken::What::bytes, std::move(waiting_.front())};
  waiting_.pop_front();
  waiting_bytes_ -= taken.bytes->size();
  return taken;
}

void BodyStream::wake() const {
  if (wake_) wake_();
}

}  // namespace graphbench::net
