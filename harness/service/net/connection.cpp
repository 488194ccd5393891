// Beast parses, ByteStream reads and writes; this file decides what follows what.
#include "harness/service/net/connection.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>
#include <utility>

#include "harness/service/net/byte_stream.hpp"
#include "harness/service/net/message_head.hpp"

namespace graphbench::net {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::error_code;
using Clock = ByteStream::Clock;

constexpr std::size_t read_bytes = 4096;
constexpr std::size_t buffer_bytes_min = 8 * 1024;
constexpr std::chrono::seconds farewell_max{1};
constexpr std::string_view continue_line = "HTTP/1.1 100 Continue\r\n\r\n";

// The answer to a request that cannot be parsed; 0: none.
unsigned status_of(const error_code& error) {
  if (error == http::error::header_limit) return 431;
  if (error == http::error::buffer_overflow) return 431;  // the line of a chunk, or the trailers
  if (error == http::error::body_limit) return 413;
  const bool malformed = error.category() == http::make_error_code(http::error::bad_method).category();
  return malformed ? 400 : 0;
}

Response answer_of(const Handler& handler, Request& request) {
  try {
    return handler(request);
  } catch (const std::exception&) {
    return text_response(500, "an internal error");
  }
}

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(asio::ip::tcp::socket socket, const std::shared_ptr<TlsContext>& tls,
             const ConnectionContext& context, std::shared_ptr<void> slot)
      : slot_(std::move(slot)),
        stream_(std::move(socket), tls),
        context_(context),
        buffer_(2 * std::max<std::size_t>(context.limits.header_bytes_max, buffer_bytes_min)) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() {
    if (following_) following_->detach();
  }

  void begin() {
    if (!stream_.is_tls()) return wait_for_request();
    stream_.expires_after(context_.limits.request_max);
    stream_.handshake_as_server(
        [self = shared_from_this()](error_code error, std::size_t) { self->after_handshake(error); });
  }

 private:
  using Step = void (Connection::*)();

  void after_handshake(const error_code& error) {
    if (!error) return wait_for_request();
    if (stream_.become_plain_for(error)) return refuse(400, "this port speaks TLS: begin with https://");
    end();  // OpenSSL has told the client why
  }

  // Goes on with `then` once more bytes have come. A client that has left, or is late, gets no answer.
  void read_more(std::size_t bytes_max, Step then) {
    const std::size_t room = buffer_.max_size() - buffer_.size();
    if (room == 0) return refuse(http::make_error_code(http::error::buffer_overflow));
    stream_.read_some(buffer_.prepare(std::min(bytes_max, room)),
                      [self = shared_from_this(), then](error_code error, std::size_t got) {
                        if (error) return;
                        self->buffer_.commit(got);
                        (self.get()->*then)();
                      });
  }

  // Waits for the first byte first: an idle connection has another limit than a slow request.
  void wait_for_request() {
    if (buffer_.size() > 0) return read_head();
    stream_.expires_after(context_.limits.idle_max);
    read_more(read_bytes, &Connection::read_head);
  }

  void read_head() {
    parser_.emplace();
    parser_->header_limit(context_.limits.header_bytes_max);
    parser_->body_limit(boost::none);  // the head decides
    deadline_ = Clock::now() + context_.limits.request_max;
    stream_.expires_at(deadline_);
    parse_head();
  }

  // How many bytes of the buffer were parsed.
  std::size_t parse(error_code& error) {
    if (buffer_.size() == 0) error = http::make_error_code(http::error::need_more);
    const std::size_t used = error ? 0 : parser_->put(buffer_.data(), error);
    buffer_.consume(used);
    return used;
  }

  void parse_head() {
    while (!parser_->is_header_done()) {
      error_code error;
      parse(error);
      if (error == http::error::need_more) return read_more(read_bytes, &Connection::parse_head);
      if (error) return refuse(error);
    }
    after_head();
  }

  void after_head() {
    std::optional<Request> asked = request_of(parser_->get());
    if (!asked) return refuse(400, "a header that may be given once is given twice");
    request_ = std::move(*asked);
    Admission admission;
    try {
      admission = context_.admit(request_);
    } catch (const std::exception&) {
      return write(text_response(500, "an internal error"));
    }
    request_.hold = std::move(admission.hold);
    if (parser_->is_done()) return after_body();  // there is none
    if (!admission.wants_body) return respond();
    const std::uint64_t announced = parser_->content_length().value_or(0);
    if (announced > admission.body_bytes_max) return refuse(http::make_error_code(http::error::body_limit));
    parser_->body_limit(admission.body_bytes_max);
    // What chunks and trailers cost beside it: as much again, so that no framing makes a body endless.
    body_bytes_left_ = 2 * admission.body_bytes_max + context_.limits.header_bytes_max;
    deadline_ += std::chrono::seconds(announced / (1024 * 1024));
    stream_.expires_at(deadline_);
    const std::string_view expected = request_.header("expect");
    if (expected.empty()) return parse_body();
    if (!beast::iequals(expected, "100-continue")) return refuse(417, "Expect: give 100-continue or nothing");
    stream_.write({asio::buffer(continue_line)}, [self = shared_from_this()](error_code failed, std::size_t) {
      if (!failed) self->parse_body();
    });
  }

  // The parser's own limit counts what chunks carry, without the lines around them.
  void parse_body() {
    while (!parser_->is_done()) {
      error_code error;
      const std::size_t used = parse(error);
      if (used > body_bytes_left_) error = http::make_error_code(http::error::body_limit);
      body_bytes_left_ -= used;
      if (error == http::error::need_more) return read_more(buffer_.max_size(), &Connection::parse_body);
      if (error) return refuse(error);
    }
    after_body();
  }

  void after_body() {
    keep_alive_ = parser_->get().keep_alive() && context_.may_linger();
    request_.body = std::move(parser_->get().body());
    respond();
  }

  void respond() {
    Response response = answer_of(context_.handler, request_);
    if (!response.later) return write(std::move(response));
    stream_.expires_never();
    context_.run_aside([self = shared_from_this(), work = std::move(response.later)]() mutable {
      Response answer = answer_of(work, self->request_);
      const auto executor = self->stream_.executor();
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
    const bool head_only = request_.method == "HEAD";
    request_ = {};  // releases its hold before the answer: the client may ask again at once
    if (response.stream) keep_alive_ = false;  // the end of a stream is the end of the connection
    if (!response.body) response.body = std::make_shared<const std::string>();
    head_ = head_of(response, keep_alive_);
    body_ = std::move(response.body);
    following_ = std::move(response.stream);
    asio::const_buffer body;
    if (!head_only && !following_) body = asio::buffer(*body_);
    context_.answer_begins();
    stream_.expires_after(context_.limits.request_max);
    stream_.write({asio::buffer(head_), body},
                  [self = shared_from_this(), head_only](error_code error, std::size_t) {
                    self->after_write(error, head_only);
                  });
  }

  void after_write(const error_code& error, bool head_only) {
    body_.reset();
    context_.answer_ended();
    if (error) return;
    if (following_ && !head_only) {
      return send_body(std::move(stream_), std::exchange(following_, nullptr), context_.limits,
                       std::move(slot_));
    }
    std::exchange(keep_alive_, false) ? wait_for_request() : end();
  }

  void end() {
    stream_.expires_after(farewell_max);
    deadline_ = Clock::now() + context_.limits.request_max;
    stream_.end_sending([self = shared_from_this()](error_code, std::size_t) { self->drain(); });
  }

  // Reads on for as long as a request may take, and drops it: closing with unread bytes would reset the
  // connection, and a client that is still sending its body would lose the answer that says why not.
  void drain() {
    buffer_.consume(buffer_.size());
    stream_.expires_at(std::min(deadline_, Clock::now() + farewell_max));
    read_more(buffer_.max_size(), &Connection::drain);
  }

  std::shared_ptr<void> slot_;  // released last
  ByteStream stream_;
  const ConnectionContext& context_;
  Clock::time_point deadline_;  // of the request; then of what a client sends after the answer
  beast::flat_buffer buffer_;   // holds a head, the line of a chunk or the trailers: no more
  std::uint64_t body_bytes_left_ = 0;
  std::optional<http::request_parser<http::string_body>> parser_;
  Request request_;
  bool keep_alive_ = false;
  std::string head_;  // of the answer, and its body
  std::shared_ptr<const std::string> body_;
  std::shared_ptr<BodyStream> following_;  // where the answer goes on
};

}  // namespace

void serve_connection(asio::ip::tcp::socket socket, const std::shared_ptr<TlsContext>& tls,
                      const ConnectionContext& context, std::shared_ptr<void> slot) {
  std::make_shared<Connection>(std::move(socket), tls, context, std::move(slot))->begin();
}

}  // namespace graphbench::net
