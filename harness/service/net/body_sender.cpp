// One timer for two limits: how long a write may take, and how long nothing is sent.
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <utility>

#include "harness/service/net/connection.hpp"

namespace graphbench::net {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

class BodySender : public std::enable_shared_from_this<BodySender> {
 public:
  BodySender(ByteStream stream, std::shared_ptr<BodyStream> body, const ServerLimits& limits,
             std::shared_ptr<void> slot)
      : slot_(std::move(slot)),
        stream_(std::move(stream)),
        timer_(stream_.executor()),
        body_(std::move(body)),
        limits_(limits) {}
  BodySender(const BodySender&) = delete;
  BodySender& operator=(const BodySender&) = delete;
  ~BodySender() { body_->detach(); }

  // From here on the client only listens: what it still sends is read and dropped, so that the end of its
  // connection is seen.
  void begin() {
    stream_.expires_never();
    body_->attach([weak = weak_from_this(), executor = stream_.executor()] {
      asio::post(executor, [weak] {
        if (const auto self = weak.lock()) self->send_next();
      });
    });
    read_and_drop();
    send_next();
  }

 private:
  void read_and_drop() {
    stream_.read_some(asio::buffer(dropped_), [self = shared_from_this()](error_code error, std::size_t) {
      if (error) return self->cut_off();
      self->read_and_drop();
    });
  }

  void send_next() {
    if (sending_ || over_) return;
    using What = BodyStream::Taken::What;
    const BodyStream::Taken taken = body_->take();
    if (taken.what == What::bytes) return send(taken.bytes);
    if (taken.what == What::cut_off) return cut_off();
    if (taken.what == What::over) return end();
    timer_.expires_after(limits_.keep_alive);
    timer_.async_wait([self = shared_from_this()](error_code error) {
      if (!error && !self->sending_ && !self->over_) self->send(self->body_->keep_alive());
    });
  }

  void send(const BodyStream::Bytes& bytes) {
    sending_ = true;
    bytes_ = bytes;
    limit(limits_.request_max);
    stream_.write({asio::buffer(*bytes_)}, [self = shared_from_this()](error_code error, std::size_t) {
      self->sending_ = false;
      self->timer_.cancel();
      if (error) return self->cut_off();
      self->send_next();
    });
  }

  void end() {
    over_ = true;
    limit(limits_.request_max);  // to read the rest and leave
    stream_.end_sending([self = shared_from_this()](error_code, std::size_t) {});
  }

  void limit(std::chrono::milliseconds longest) {
    timer_.expires_after(longest);
    timer_.async_wait([self = shared_from_this()](error_code error) {
      // A timer that fired just before it was set again reports no error.
      if (!error && self->timer_.expiry() <= std::chrono::steady_clock::now()) self->cut_off();
    });
  }

  void cut_off() {
    over_ = true;
    timer_.cancel();
    body_->detach();
    stream_.close();
  }

  std::shared_ptr<void> slot_;  // released last
  ByteStream stream_;
  asio::steady_timer timer_;  // keep-alive, or how long a write may take
  std::shared_ptr<BodyStream> body_;
  const ServerLimits& limits_;
  bool sending_ = false;
  bool over_ = false;
  BodyStream::Bytes bytes_;
  std::array<char, 4096> dropped_{};
};

}  // namespace

void send_body(ByteStream stream, std::shared_ptr<BodyStream> body, const ServerLimits& limits,
               std::shared_ptr<void> slot) {
  std::make_shared<BodySender>(std::move(stream), std::move(body), limits, std::move(slot))->begin();
}

}  // namespace graphbench::net
