// A response body that grows until it is ended, such as server-sent events.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace graphbench::service {

// Thread-safe. put() never waits for the client.
class BodyStream {
 public:
  using Bytes = std::shared_ptr<const std::string>;

  // Sends `first` at once, without a size limit; many streams may share it. A client for which more than
  // `waiting_max` later bytes wait is cut off. Sends `keep_alive` after ServerLimits::keep_alive of silence.
  BodyStream(std::deque<Bytes> first, std::size_t waiting_max, std::string keep_alive);
  BodyStream(const BodyStream&) = delete;
  BodyStream& operator=(const BodyStream&) = delete;
  ~BodyStream() = default;

  // Returns false if the client has left or was cut off.
  bool put(Bytes bytes);
  // Ends the stream once all waiting bytes are sent.
  void end();
  bool listened_to();

  // The connection that sends the stream calls attach(), detach() and take(). The stream calls `wake`, with
  // the lock held, when take() has a new result.
  void attach(std::function<void()> wake);
  void detach() noexcept;
  struct Taken {
    enum class What { bytes, nothing_yet, over, cut_off } what = What::nothing_yet;
    Bytes bytes;
  };
  Taken take();
  const Bytes& keep_alive() const noexcept { return keep_alive_; }

 private:
  void wake() const;

  std::mutex mutex_;
  std::deque<Bytes> first_;
  std::deque<Bytes> waiting_;
  std::size_t waiting_bytes_ = 0;
  const std::size_t waiting_max_;
  const Bytes keep_alive_;
  bool ended_ = false;
  bool cut_off_ = false;
  bool left_ = false;
  std::function<void()> wake_;
};

}  // namespace graphbench::service
