// The body of an answer that goes on for as long as there is something to tell, such as server-sent events.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace graphbench::net {

// Thread-safe; nobody who puts bytes in ever waits for the client who takes them out.
class BodyStream {
 public:
  using Bytes = std::shared_ptr<const std::string>;

  // `first` is sent at once, however long; many streams may share it. `waiting_max`: the bytes put in later
  // that may wait for the client; one who lags further behind is cut off. `keep_alive` is sent whenever
  // nothing else was for long.
  BodyStream(std::deque<Bytes> first, std::size_t waiting_max, std::string keep_alive);
  BodyStream(const BodyStream&) = delete;
  BodyStream& operator=(const BodyStream&) = delete;
  ~BodyStream() = default;

  // False where nobody listens any more.
  bool put(Bytes bytes);
  // What was put in before is still sent.
  void end();
  bool listened_to();

  // For the connection. `wake` is called, with a lock held, whenever there is something to take.
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

}  // namespace graphbench::net
