// A bounded queue between the code that puts bytes in and the one connection that sends them.
#include "harness/service/net/body_stream.hpp"

#include <utility>

namespace graphbench::service {

BodyStream::BodyStream(std::deque<Bytes> first, std::size_t waiting_max, std::string keep_alive)
    : first_(std::move(first)),
      waiting_max_(waiting_max),
      keep_alive_(std::make_shared<const std::string>(std::move(keep_alive))) {}

bool BodyStream::put(Bytes bytes) {
  const std::scoped_lock lock(mutex_);
  if (left_ || cut_off_ || ended_) return false;
  waiting_bytes_ += bytes->size();
  waiting_.push_back(std::move(bytes));
  if (waiting_bytes_ > waiting_max_) {
    cut_off_ = true;
    first_.clear();
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
  first_.clear();
  waiting_.clear();
}

BodyStream::Taken BodyStream::take() {
  const std::scoped_lock lock(mutex_);
  if (cut_off_) return {Taken::What::cut_off, nullptr};
  if (first_.empty() && waiting_.empty()) {
    return {ended_ ? Taken::What::over : Taken::What::nothing_yet, nullptr};
  }
  std::deque<Bytes>& from = first_.empty() ? waiting_ : first_;
  Taken taken{Taken::What::bytes, std::move(from.front())};
  if (first_.empty()) waiting_bytes_ -= taken.bytes->size();
  from.pop_front();
  return taken;
}

void BodyStream::wake() const {
  if (wake_) wake_();
}

}  // namespace graphbench::service
