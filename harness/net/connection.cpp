// Beast does the parsing and the deadlines; this file decides what follows what.
#include "harness/net/connection.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/http/span_body.hpp>
#include <cctype>
#include <optional>
#include <utility>

#include "harness/net/body_stream.hpp"

namespace graphbench::net {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::error_code;
using Body = http::span_body<const char>;

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

Request to_request(const http::request<http::string_body>& message) {
  Request request;
  request.method = std::string(message.method_string());
  const std::string target(message.target());
  const std::size_t question = std::min(target.find('?'), target.size());
  request.path = target.substr(0, question);
  if (question < target.size()) request.query = target.substr(question + 1);
  request.body = message.body();
  for (const auto& field : message) {
    request.headers[lower_case(std::string_view(field.name_string()))] = std::string(field.value());
  }
  return request;
}

// What a client did wrong, as far as it can still be told; 0 where it is gone.
unsigned status_of(const error_code& error) {
  if (error == http::error::header_limit) return 431;
  if (error == http::error::body_limit) return 413;
  if (error == beast::error::timeout) return 408;
  const bool malformed = error.category() == http::make_error_code(http::error::bad_method).category();
  return malformed && error != http::error::end_of_stream && error != http::error::partial_message ? 400 : 0;
}

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(asio::ip::tcp::socket socket, const ConnectionContext& context)
      : stream_(std::move(socket)), timer_(stream_.get_executor()), context_(context) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() {
    if (following_) following_->detach();
    context_.on_end();
  }

  // Waits for the first byte first, so that a slow request and a quiet connection are told apart.
  void wait_for_request() {
    if (buffer_.size() > 0) return read_request();
    stream_.expires_after(context_.limits.idle_max);
    stream_.async_read_some(buffer_.prepare(read_bytes),
                            [self = shared_from_this()](error_code error, std::size_t got) {
                              if (error) return;
                              self->buffer_.commit(got);
                              self->read_request();
                            });
  }

 private:
  static constexpr std::size_t read_bytes = 4096;

  void read_request() {
    parser_.emplace();
    parser_->header_limit(context_.limits.header_bytes_max);
    parser_->body_limit(context_.limits.body_bytes_max);
    stream_.expires_after(context_.limits.request_max);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](error_code error, std::size_t) { self->answer(error); });
  }

  void answer(const error_code& error) {
    if (error) {
      // A stream that timed out is closed already.
      const unsigned status = status_of(error);
      if (status == 0 || status == 408) return;
      return write(text_response(status, std::string(http::obsolete_reason(http::int_to_status(status)))),
                   false, false);
    }
    const http::request<http::string_body>& message = parser_->get();
    const bool keep_alive = message.keep_alive() && context_.may_linger();
    write(response_to(message), keep_alive, message.method() == http::verb::head);
  }

  Response response_to(const http::request<http::string_body>& message) const {
    try {
      return context_.handler(to_request(message));
    } catch (const std::exception&) {
      return text_response(500, "an internal error");
    }
  }

  void write(Response response, bool keep_alive, bool head_only) {
    following_ = std::move(response.stream);
    body_ = response.body ? std::move(response.body) : std::make_shared<const std::string>();
    message_ = {};
    message_.version(11);
    message_.result(response.status);
    message_.set(http::field::server, "graphbench");
    message_.set(http::field::content_type, response.content_type);
    message_.set("X-Content-Type-Options", "nosniff");
    for (const auto& [name, value] : response.headers) message_.set(name, value);
    message_.keep_alive(keep_alive && !following_);  // the end of a stream is the end of the connection
    if (!following_) {
      message_.body() = {body_->data(), body_->size()};
      message_.prepare_payload();
      if (head_only) message_.content_length(body_->size());
    }
    serializer_.emplace(message_);
    serializer_->split(head_only || following_);
    stream_.expires_after(context_.limits.request_max);
    if (following_ && !head_only) {
      http::async_write_header(stream_, *serializer_,
                               [self = shared_from_this()](error_code error, std::size_t) {
                                 if (!error) self->follow();
                               });
      return;
    }
    keep_alive = message_.keep_alive();
    const auto then = [self = shared_from_this(), keep_alive](error_code error, std::size_t) {
      self->after_write(error, keep_alive);
    };
    if (head_only) {
      http::async_write_header(stream_, *serializer_, then);
    } else {
      http::async_write(stream_, *serializer_, then);
    }
  }

  void after_write(const error_code& error, bool keep_alive) {
    body_.reset();
    if (error) return;
    if (keep_alive) return wait_for_request();
    error_code ignored;  // the client may have left first
    stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
    drain(drain_bytes_max);
  }

  // From here on the client only listens: what it still says is read and forgotten, so that its leaving
  // shows.
  void follow() {
    stream_.expires_never();
    following_->attach([weak = weak_from_this(), executor = stream_.get_executor()] {
      asio::post(executor, [weak] {
        if (const auto self = weak.lock()) self->send_next();
      });
    });
    read_and_forget();
    send_next();
  }

  void read_and_forget() {
    buffer_.consume(buffer_.size());
    stream_.async_read_some(buffer_.prepare(read_bytes),
                            [self = shared_from_this()](error_code error, std::size_t) {
                              if (error) return self->cut_off();
                              self->read_and_forget();
                            });
  }

  void send_next() {
    if (sending_ || cut_off_) return;
    using What = BodyStream::Taken::What;
    const BodyStream::Taken taken = following_->take();
    if (taken.what == What::bytes) return send(taken.bytes);
    if (taken.what == What::cut_off) return cut_off();
    if (taken.what == What::over) {
      timer_.cancel();
      error_code ignored;  // the client may have left first
      stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
      return limit(context_.limits.request_max);  // to read the rest and leave
    }
    timer_.expires_after(context_.limits.keep_alive);
    timer_.async_wait([self = shared_from_this()](error_code error) {
      if (!error && !self->sending_) self->send(self->following_->keep_alive());
    });
  }

  void send(const BodyStream::Bytes& bytes) {
    sending_ = true;
    body_ = bytes;
    limit(context_.limits.request_max);
    asio::async_write(stream_, asio::buffer(*body_),
                      [self = shared_from_this()](error_code error, std::size_t) {
                        self->sending_ = false;
                        self->timer_.cancel();
                        if (error) return self->cut_off();
                        self->send_next();
                      });
  }

  void limit(std::chrono::milliseconds longest) {
    timer_.expires_after(longest);
    timer_.async_wait([self = shared_from_this()](error_code error) {
      // One that fired as it was set anew comes without an error.
      if (!error && self->timer_.expiry() <= std::chrono::steady_clock::now()) self->cut_off();
    });
  }

  void cut_off() {
    if (std::exchange(cut_off_, true)) return;
    timer_.cancel();
    following_->detach();
    error_code ignored;  // it is of no use any more
    stream_.socket().close(ignored);
  }

  // Reads on for a little while: closing with unread bytes would reset the connection, and the client
  // might lose the answer that says what it did wrong.
  void drain(std::size_t bytes_left) {
    if (bytes_left < read_bytes) return;
    buffer_.consume(buffer_.size());
    stream_.expires_after(std::chrono::seconds(1));
    stream_.async_read_some(buffer_.prepare(read_bytes),
                            [self = shared_from_this(), bytes_left](error_code error, std::size_t) {
                              if (!error) self->drain(bytes_left - read_bytes);
                            });
  }

  static constexpr std::size_t drain_bytes_max = 1024 * 1024;

  beast::tcp_stream stream_;
  asio::steady_timer timer_;               // of a stream: keep-alive, or how long a write may take
  std::shared_ptr<BodyStream> following_;  // the answer's, where it goes on
  bool sending_ = false;
  bool cut_off_ = false;
  const ConnectionContext& context_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::shared_ptr<const std::string> body_;
  http::response<Body> message_;
  std::optional<http::response_serializer<Body>> serializer_;
};

}  // namespace

void serve_connection(asio::ip::tcp::socket socket, const ConnectionContext& context) {
  std::make_shared<Connection>(std::move(socket), context)->wait_for_request();
}

}  // namespace graphbench::net
