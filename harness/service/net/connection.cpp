// Beast does the parsing and the deadlines; this file decides what follows what.
#include "harness/service/net/connection.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/http/span_body.hpp>
#include <optional>
#include <utility>

#include "harness/service/net/body_sender.hpp"
#include "harness/service/net/client_stream.hpp"
#include "harness/service/net/request_head.hpp"

namespace graphbench::net {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::error_code;
using Body = http::span_body<const char>;
using Clock = std::chrono::steady_clock;

constexpr std::size_t read_bytes = 4096;
constexpr std::size_t buffer_bytes_min = 8 * 1024;
constexpr std::chrono::seconds farewell_max{1};
constexpr std::string_view continue_line = "HTTP/1.1 100 Continue\r\n\r\n";

// What a client did wrong, as far as it can still be told; 0 where it is gone or its time is up.
unsigned status_of(const error_code& error) {
  if (error == http::error::header_limit) return 431;
  if (error == http::error::buffer_overflow) return 431;  // the line of a chunk, or the trailers
  if (error == http::error::body_limit) return 413;
  const bool malformed = error.category() == http::make_error_code(http::error::bad_method).category();
  return malformed && error != http::error::end_of_stream && error != http::error::partial_message ? 400 : 0;
}

Response internal_error() {
  return text_response(500, "an internal error");
}

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(asio::ip::tcp::socket socket, const std::shared_ptr<TlsContext>& tls,
             const ConnectionContext& context, std::shared_ptr<Place> place)
      : place_(std::move(place)),
        stream_(std::move(socket), tls),
        context_(context),
        buffer_(2 * std::max<std::size_t>(context.limits.header_bytes_max, buffer_bytes_min)) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() {
    if (following_) following_->detach();
  }

  void begin() {
    may_go();
    if (!stream_.is_tls()) return wait_for_request();
    stream_.tcp().expires_after(context_.limits.request_max);
    stream_.async_handshake([self = shared_from_this()](error_code error) { self->after_handshake(error); });
  }

 private:
  // From now on, and anew with each step: somebody else may have its place where it takes no further one.
  void may_go() {
    place_->set_quiet([weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->stream_.tcp().close();
    });
  }

  void after_handshake(const error_code& error) {
    if (!error) return wait_for_request();
    if (stream_.become_plain_for(error)) return refuse(400, "this port speaks TLS: begin with https://");
    end();  // OpenSSL has told the client why
  }

  // Waits for the first byte first, so that a slow request and a quiet connection are told apart.
  void wait_for_request() {
    if (buffer_.size() > 0) return read_head();
    stream_.tcp().expires_after(context_.limits.idle_max);
    stream_.async_read_some(buffer_.prepare(read_bytes),
                            [self = shared_from_this()](error_code error, std::size_t got) {
                              if (error) return;
                              self->buffer_.commit(got);
                              self->read_head();
                            });
  }

  void read_head() {
    may_go();
    parser_.emplace();
    parser_->header_limit(context_.limits.header_bytes_max);
    parser_->body_limit(boost::none);  // the head decides
    deadline_ = Clock::now() + context_.limits.request_max;
    stream_.tcp().expires_at(deadline_);
    http::async_read_header(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](error_code error, std::size_t) { self->after_head(error); });
  }

  void after_head(const error_code& error) {
    if (error) return refuse(error);
    std::optional<Request> asked = request_of(parser_->get());
    if (!asked) return refuse(400, "a header that may be given once is given twice");
    request_ = std::move(*asked);
    Admission admission;
    try {
      admission = context_.admit(request_);
    } catch (const std::exception&) {
      return write(internal_error());
    }
    request_.hold = std::move(admission.hold);
    if (parser_->is_done()) return after_body();  // there is none
    if (!admission.wants_body) return respond();
    const std::uint64_t announced = parser_->content_length().value_or(0);
    if (announced > admission.body_bytes_max) return refuse(http::error::body_limit);
    parser_->body_limit(admission.body_bytes_max);
    // What chunks and trailers cost beside it: as much again, so that no framing makes a body endless.
    body_bytes_left_ = 2 * admission.body_bytes_max + context_.limits.header_bytes_max;
    deadline_ += std::chrono::seconds(announced / (1024 * 1024));
    stream_.tcp().expires_at(deadline_);
    const std::string_view expected = request_.header("expect");
    if (expected.empty()) return read_body();
    if (!beast::iequals(expected, "100-continue")) return refuse(417, "Expect: give 100-continue or nothing");
    asio::async_write(stream_, asio::buffer(continue_line),
                      [self = shared_from_this()](error_code failed, std::size_t) {
                        if (!failed) self->read_body();
                      });
  }

  // Piece by piece: the parser's own limit counts what the chunks carry, not what they are made of.
  void read_body() {
    http::async_read_some(stream_, buffer_, *parser_,
                          [self = shared_from_this()](error_code error, std::size_t took) {
                            if (error) return self->refuse(error);
                            if (took > self->body_bytes_left_) return self->refuse(http::error::body_limit);
                            self->body_bytes_left_ -= took;
                            self->parser_->is_done() ? self->after_body() : self->read_body();
                          });
  }

  void after_body() {
    keep_alive_ = parser_->get().keep_alive() && context_.may_linger();
    request_.body = std::move(parser_->get().body());
    respond();
  }

  void respond() {
    Response response;
    try {
      response = context_.handler(request_);
    } catch (const std::exception&) {
      response = internal_error();
    }
    if (!response.later) return write(std::move(response));
    stream_.tcp().expires_never();
    place_->keep();
    context_.run_aside([self = shared_from_this(), work = std::move(response.later)]() mutable {
      Response answer;
      try {
        answer = work(self->request_);
      } catch (const std::exception&) {
        answer = internal_error();
      }
      const auto executor = self->stream_.get_executor();
      asio::post(executor, [self = std::move(self), answer = std::move(answer)]() mutable {
        self->write(std::move(answer));
      });
    });
  }

  void refuse(const error_code& error) {
    const unsigned status = status_of(error);
    if (status == 0) return;
    refuse(status, std::string(http::obsolete_reason(http::int_to_status(status))));
  }

  // What follows in the stream is not known to be a request.
  void refuse(unsigned status, const std::string& line) {
    keep_alive_ = false;
    write(text_response(status, line));
  }

  void write(Response response) {
    may_go();
    const bool head_only = request_.method == "HEAD";
    request_ = {};  // what it holds, too, before the answer: who has it may ask again
    following_ = std::move(response.stream);
    body_ = response.body ? std::move(response.body) : std::make_shared<const std::string>();
    message_ = {};
    message_.version(11);
    message_.result(response.status);
    message_.set(http::field::server, "graphbench");
    message_.set(http::field::content_type, response.content_type);
    message_.set("X-Content-Type-Options", "nosniff");
    for (const auto& [name, value] : response.headers) message_.set(name, value);
    message_.keep_alive(keep_alive_ && !following_);  // the end of a stream is the end of the connection
    if (!following_) {
      message_.body() = {body_->data(), body_->size()};
      message_.prepare_payload();
      if (head_only) message_.content_length(body_->size());
    }
    serializer_.emplace(message_);
    serializer_->split(head_only || following_);
    stream_.tcp().expires_after(context_.limits.request_max);
    const auto then = [self = shared_from_this(), head_only](error_code error, std::size_t) {
      self->after_write(error, head_only);
    };
    if (head_only || following_) {
      http::async_write_header(stream_, *serializer_, then);
    } else {
      http::async_write(stream_, *serializer_, then);
    }
  }

  void after_write(const error_code& error, bool head_only) {
    body_.reset();
    if (error) return;
    if (following_ && !head_only) {
      place_->keep();
      return send_body(std::move(stream_), std::exchange(following_, nullptr), context_.limits,
                       std::move(place_));
    }
    if (!std::exchange(keep_alive_, false) || !message_.keep_alive()) return end();
    may_go();
    wait_for_request();
  }

  void end() {
    stream_.tcp().expires_after(farewell_max);
    deadline_ = Clock::now() + context_.limits.request_max;
    stream_.end_sending([self = shared_from_this()] { self->drain(); });
  }

  // Reads on for as long as a request may take, and forgets it: closing with unread bytes would reset the
  // connection, and a client that is still sending its body would lose the answer that says why not.
  void drain() {
    buffer_.consume(buffer_.size());
    stream_.tcp().expires_at(std::min(deadline_, Clock::now() + farewell_max));
    stream_.tcp().async_read_some(buffer_.prepare(buffer_.max_size()),
                                  [self = shared_from_this()](error_code error, std::size_t) {
                                    if (!error) self->drain();
                                  });
  }

  std::shared_ptr<Place> place_;  // goes last
  ClientStream stream_;
  const ConnectionContext& context_;
  Clock::time_point deadline_;  // of the request; then of what a client says after the answer
  beast::flat_buffer buffer_;   // holds a head, the line of a chunk or the trailers: no more
  std::uint64_t body_bytes_left_ = 0;
  std::optional<http::request_parser<http::string_body>> parser_;
  Request request_;
  bool keep_alive_ = false;
  std::shared_ptr<BodyStream> following_;  // the answer's, where it goes on
  std::shared_ptr<const std::string> body_;
  http::response<Body> message_;
  std::optional<http::response_serializer<Body>> serializer_;
};

}  // namespace

void serve_connection(asio::ip::tcp::socket socket, const std::shared_ptr<TlsContext>& tls,
                      const ConnectionContext& context, std::shared_ptr<Place> place) {
  std::make_shared<Connection>(std::move(socket), tls, context, std::move(place))->begin();
}

}  // namespace graphbench::net
