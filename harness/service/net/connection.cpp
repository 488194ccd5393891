// Serves each connection in a coroutine, which reads, lets Beast parse, calls the handler and writes. An
// exception ends the coroutine when the client disconnects or a time limit passes.
#include "harness/service/net/connection.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <array>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/buffers_prefix.hpp>
#include <boost/beast/core/buffers_suffix.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "harness/service/net/body_stream.hpp"
#include "harness/service/net/tls_context.hpp"

namespace graphbench::service {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::awaitable;
using asio::use_awaitable;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;
using TcpStream = beast::tcp_stream;
using TlsStream = asio::ssl::stream<TcpStream>;
using Buffers = std::array<asio::const_buffer, 2>;

constexpr std::size_t read_bytes = 4096;
constexpr std::size_t buffer_bytes_min = 8 * 1024;
constexpr std::size_t piece_bytes = 64 * 1024;
constexpr std::chrono::seconds farewell_max{1};
constexpr const char* internal_error = "an internal error";
constexpr std::string_view continue_line = "HTTP/1.1 100 Continue\r\n\r\n";

// A thrown refusal ends the connection after its response, because the next bytes may not be a request.
struct Refusal : std::exception {
  Refusal(unsigned status, const std::string& line) : response(text_response(status, line)) {}
  explicit Refusal(Response given) : response(std::move(given)) {}
  explicit Refusal(http::status status)
      : Refusal(static_cast<unsigned>(status), std::string(http::obsolete_reason(status))) {}
  Response response;
};

http::status parse_error_status(const error_code& parse_error) {
  using http::error;
  if (parse_error == error::body_limit) return http::status::payload_too_large;
  if (parse_error == error::header_limit || parse_error == error::buffer_overflow) {
    return http::status::request_header_fields_too_large;
  }
  return http::status::bad_request;
}

Response answer_of(const Handler& handler, Request& request) {
  try {
    return handler(request);
  } catch (const std::exception&) {
    return text_response(500, internal_error);
  }
}

template <typename Stream>
class Connection : public std::enable_shared_from_this<Connection<Stream>> {
 public:
  template <typename... Arguments>
  explicit Connection(Connections& all, Arguments&&... arguments)
      : all_(all),
        stream_(std::forward<Arguments>(arguments)...),
        entry_(all.add(tcp())),
        wake_(stream_.get_executor()),
        buffer_(2 * std::max<std::size_t>(all.limits.header_bytes_max, buffer_bytes_min)) {}

  TcpStream& tcp() { return beast::get_lowest_layer(stream_); }

  awaitable<void> serve() {
    do {
      co_await wait_for_request();
      Response response;
      try {
        response = co_await read_and_answer();
      } catch (const Refusal& refusal) {
        keep_alive_ = false;
        response = refusal.response;
      }
      if (response.body && !all_.has_room_for(*response.body)) {
        if (response.stream) response.stream->detach();
        response = busy("many large answers are being sent: try again later");
      }
      const std::shared_ptr<BodyStream> followed = response.stream;
      const std::shared_ptr<void> detached(nullptr, [&followed](void*) {
        if (followed) followed->detach();
      });
      const bool head_only = request_.method == "HEAD";
      request_ = {};  // a long body is freed before its answer is sent
      if (followed) keep_alive_ = false;
      co_await send(std::move(response), head_only);
      if (followed && !head_only) {
        co_await follow(*followed);
        co_return;
      }
    } while (keep_alive_);
    co_await end();
  }

  awaitable<void> shake_hands(error_code& error) {
    tcp().expires_after(all_.limits.request_max);
    co_await stream_.async_handshake(asio::ssl::stream_base::server,
                                     asio::redirect_error(use_awaitable, error));
  }

  awaitable<void> refuse(Refusal refusal) {
    co_await send(std::move(refusal.response), false);
    co_await end();
  }

 private:
  void enter(Phase phase) { all_.enter(*entry_, phase); }

  awaitable<std::size_t> read_more(std::size_t bytes_max) {
    const std::size_t room = buffer_.max_size() - buffer_.size();
    // The buffer is full: a chunk's size line or the trailers are too long.
    if (room == 0) throw Refusal(http::status::request_header_fields_too_large);
    const asio::mutable_buffer space = buffer_.prepare(std::min(bytes_max, room));
    const std::size_t got = co_await stream_.async_read_some(space, use_awaitable);
    buffer_.commit(got);
    co_return got;
  }

  // Waits for a request's first byte, because an idle connection has another time limit than a request.
  awaitable<void> wait_for_request() {
    if (buffer_.size() > 0) co_return;
    if (entry_->phase != Phase::head) enter(Phase::idle);
    tcp().expires_after(all_.limits.idle_max);
    co_await read_more(read_bytes);
  }

  // Parses buffered bytes, and subtracts their number from `left`. Returns false if the parser needs more.
  bool parse(std::uint64_t& left) {
    if (buffer_.size() == 0) return false;
    error_code error;
    const std::size_t used = parser_->put(buffer_.data(), error);
    buffer_.consume(used);
    if (used > left) throw Refusal(http::status::payload_too_large);
    left -= used;
    if (error && error != http::error::need_more) throw Refusal(parse_error_status(error));
    return !error;
  }

  awaitable<Response> read_and_answer() {
    keep_alive_ = false;
    if (entry_->phase != Phase::head) enter(Phase::head);
    parser_.emplace();
    parser_->header_limit(all_.limits.header_bytes_max);
    parser_->body_limit(boost::none);  // read_body() sets the limit after the head
    deadline_ = Clock::now() + all_.limits.request_max;
    tcp().expires_at(deadline_);
    std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();
    while (!parser_->is_header_done()) {
      if (!parse(unlimited)) co_await read_more(read_bytes);
    }
    enter(Phase::working);
    check_coding();
    std::optional<Request> asked = request_of(parser_->get());
    if (!asked) throw Refusal(400, "a header is given twice, but may be given only once");
    request_ = std::move(*asked);
    const Admission admission = admission_of();
    const bool has_place = all_.take_place(*entry_);
    if (!has_place && !admission.vital) throw Refusal(busy("all connections are taken: try again later"));
    if (!parser_->is_done()) {
      // The body stays unread, so the connection ends after the response.
      if (!admission.wants_body || !has_place) {
        Response response = co_await respond();
        co_return response;
      }
      co_await read_body(admission.body_bytes_max);
    }
    keep_alive_ = parser_->get().keep_alive() && !all_.is_full();
    request_.body = std::move(parser_->get().body());
    Response response = co_await respond();
    co_return response;
  }

  // Accepts no Transfer-Encoding but "chunked": a proxy that finds another end of the body than this server
  // may read the rest of the body as a new request.
  void check_coding() const {
    const auto& head = parser_->get();
    const std::size_t codings = head.count(http::field::transfer_encoding);
    if (codings == 0) return;
    if (codings > 1 || !beast::iequals(head[http::field::transfer_encoding], "chunked")) {
      throw Refusal(501, "Transfer-Encoding: give chunked, or leave it out");
    }
  }

  Admission admission_of() const {
    try {
      return all_.admit(request_);
    } catch (const std::exception&) {
      throw Refusal(500, internal_error);
    }
  }

  awaitable<void> read_body(std::uint64_t bytes_max) {
    const std::uint64_t announced = parser_->content_length().value_or(0);
    if (announced > bytes_max) throw Refusal(http::status::payload_too_large);
    parser_->body_limit(bytes_max);
    deadline_ += std::chrono::seconds(announced / (1024 * 1024));
    const std::string_view expected = request_.header("expect");
    if (!expected.empty()) {
      if (!beast::iequals(expected, "100-continue"))
        throw Refusal(417, "Expect: give 100-continue, or leave it out");
      co_await asio::async_write(stream_, asio::buffer(continue_line), use_awaitable);
    }
    // The parser's limit counts only the content of chunks. `left` also limits their size lines and trailers.
    std::uint64_t left = 2 * bytes_max + all_.limits.header_bytes_max;
    std::uint64_t piece = piece_bytes;
    while (!parser_->is_done()) {
      if (parse(left)) continue;
      if (piece >= piece_bytes) {
        piece = 0;
        enter(Phase::transfer);
        tcp().expires_at(std::min(deadline_, Clock::now() + all_.limits.request_max));
      }
      piece += co_await read_more(buffer_.max_size());
      entry_->body_bytes = parser_->get().body().size();
      if (!all_.may_receive(*entry_)) throw Refusal(busy("many large requests arrive: try again later"));
    }
    enter(Phase::working);
  }

  awaitable<Response> respond() {
    Response response = answer_of(all_.handler, request_);
    if (response.later && !all_.may_wait(*entry_)) {
      response = busy("all connections are taken: try again later");
    } else if (response.later) {
      const Handler work = std::move(response.later);
      const auto run = [this, &work]() -> awaitable<Response> { co_return answer_of(work, request_); };
      response = co_await asio::co_spawn(all_.aside(response.brief), run, use_awaitable);
    }
    co_return response;
  }

  Response busy(const std::string& why) const {
    Response response = all_.refuse(503, why);
    response.headers.emplace_back("Retry-After", "5");
    return response;
  }

  awaitable<void> send(Response response, bool head_only) {
    if (!response.body) response.body = std::make_shared<const std::string>();
    const std::string head = message_head_of(response, keep_alive_);
    Buffers buffers{asio::buffer(head)};
    if (!head_only) buffers[1] = asio::buffer(*response.body);
    const std::shared_ptr<void> sending = all_.count_answer(std::move(response.body));
    co_await write(buffers);
  }

  // Each piece has a time limit; the whole response has none, because clients' networks differ in speed.
  awaitable<void> write(Buffers buffers) {
    beast::buffers_suffix<Buffers> rest(buffers);
    while (beast::buffer_bytes(rest) > 0) {
      enter(Phase::transfer);
      tcp().expires_after(all_.limits.request_max);
      const auto piece = beast::buffers_prefix(piece_bytes, rest);
      const std::size_t sent = co_await asio::async_write(stream_, piece, use_awaitable);
      rest.consume(sent);
    }
    enter(Phase::working);
  }

  // Sends the BodyStream. Also reads the client's bytes and drops them, which detects a disconnect.
  awaitable<void> follow(BodyStream& body) {
    const auto self = this->shared_from_this();
    const auto executor = stream_.get_executor();
    body.attach([executor, weak = std::weak_ptr(self)] {
      asio::post(executor, [weak] {
        if (const auto alive = weak.lock()) alive->wake_.cancel();
      });
    });
    asio::co_spawn(
        executor, [self] { return self->read_and_drop(); }, asio::detached);
    using What = BodyStream::Taken::What;
    for (;;) {
      const BodyStream::Taken taken = left_ ? BodyStream::Taken{What::cut_off, nullptr} : body.take();
      if (taken.what == What::cut_off) break;
      if (taken.what == What::over) {
        co_await end_stream();
        co_return;
      }
      BodyStream::Bytes bytes = taken.bytes;
      if (!bytes) {
        error_code woken;
        wake_.expires_after(all_.limits.keep_alive);
        co_await wake_.async_wait(asio::redirect_error(use_awaitable, woken));
        if (woken) continue;
        bytes = body.keep_alive();
      }
      const Buffers buffers{asio::buffer(*bytes)};
      co_await write(buffers);
    }
    tcp().close();
  }

  awaitable<void> read_and_drop() {
    std::array<char, read_bytes> dropped{};
    error_code error;
    while (!error) {
      tcp().expires_never();  // does not change the time limit of a write in progress
      co_await stream_.async_read_some(asio::buffer(dropped), asio::redirect_error(use_awaitable, error));
    }
    left_ = true;
    tcp().close();
    wake_.cancel();
  }

  // Ends sending. If the client then disconnects, read_and_drop() detects that. If not, the timer wake_
  // closes the socket.
  awaitable<void> end_stream() {
    wake_.expires_after(all_.limits.request_max);
    wake_.async_wait([self = this->shared_from_this()](const error_code& error) {
      if (!error) self->tcp().close();
    });
    co_await end_sending();
  }

  awaitable<void> end_sending() {
    error_code ignored;
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      co_await stream_.async_shutdown(asio::redirect_error(use_awaitable, ignored));
    }
    static_cast<void>(tcp().socket().shutdown(tcp::socket::shutdown_send, ignored));
  }

  // Reads and drops bytes for limits.request_max at most. Closing a socket with unread bytes resets the
  // connection, and a client that is still sending would not receive the response.
  awaitable<void> end() {
    enter(Phase::idle);
    tcp().expires_after(farewell_max);
    deadline_ = Clock::now() + all_.limits.request_max;
    co_await end_sending();
    for (;;) {
      buffer_.consume(buffer_.size());
      tcp().expires_at(std::min(deadline_, Clock::now() + farewell_max));
      co_await read_more(buffer_.max_size());
    }
  }

  Connections& all_;
  Stream stream_;
  const Connections::Entry entry_;
  asio::steady_timer wake_;  // limits the waits in follow() and after end_stream()
  // The time limit of the request, and then of the bytes that the client sends after the response.
  Clock::time_point deadline_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  Request request_;
  bool keep_alive_ = false;
  bool left_ = false;  // the client of a stream has disconnected
};

awaitable<void> serve_plain(tcp::socket socket, Connections& all) {
  const auto connection = std::make_shared<Connection<TcpStream>>(all, std::move(socket));
  co_await connection->serve();
}

bool is_plain_http(const error_code& error) {
  return error.category() == asio::error::get_ssl_category() &&
         ERR_GET_REASON(static_cast<unsigned long>(error.value())) == SSL_R_HTTP_REQUEST;
}

awaitable<void> serve_tls(tcp::socket socket, Connections& all) {
  const auto connection = std::make_shared<Connection<TlsStream>>(all, std::move(socket), all.tls->context);
  error_code error;
  co_await connection->shake_hands(error);
  if (!error) co_await connection->serve();
  if (!is_plain_http(error)) co_return;  // OpenSSL has sent the client an alert
  const auto plain = std::make_shared<Connection<TcpStream>>(all, connection->tcp().release_socket());
  co_await plain->refuse(Refusal(400, "this port speaks TLS: begin with https://"));
}

}  // namespace

void serve_connection(tcp::socket socket, Connections& all) {
  const auto executor = socket.get_executor();
  asio::co_spawn(executor, all.tls ? serve_tls(std::move(socket), all) : serve_plain(std::move(socket), all),
                 asio::detached);
}

}  // namespace graphbench::service
