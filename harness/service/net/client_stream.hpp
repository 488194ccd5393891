// A client's byte stream, plain or TLS: what speaks HTTP over it need not know which.
#pragma once

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <utility>
#include <variant>

#include "harness/service/net/tls_context.hpp"

namespace graphbench::net {

// An AsyncStream as Boost.Asio and Beast want one; deadlines are those of tcp(). May be moved while nothing
// reads, writes or shuts down.
class ClientStream {
 public:
  using Plain = boost::beast::tcp_stream;
  using Tls = boost::asio::ssl::stream<Plain>;
  using executor_type = Plain::executor_type;
  using error_code = boost::system::error_code;

  // `tls` null: plain.
  ClientStream(boost::asio::ip::tcp::socket socket, const std::shared_ptr<TlsContext>& tls)
      : stream_(std::in_place_type<Plain>, std::move(socket)) {
    if (!tls) return;
    Plain plain(std::move(std::get<Plain>(stream_)));
    stream_.emplace<Tls>(std::move(plain), tls->context);
  }

  executor_type get_executor() { return tcp().get_executor(); }
  bool is_tls() const { return std::holds_alternative<Tls>(stream_); }

  Plain& tcp() {
    Tls* tls = std::get_if<Tls>(&stream_);
    return tls != nullptr ? tls->next_layer() : std::get<Plain>(stream_);
  }

  template <typename Buffers, typename Handler>
  void async_read_some(const Buffers& buffers, Handler&& handler) {
    const auto read = [&](auto& s) { s.async_read_some(buffers, std::forward<Handler>(handler)); };
    std::visit(read, stream_);
  }

  template <typename Buffers, typename Handler>
  void async_write_some(const Buffers& buffers, Handler&& handler) {
    const auto write = [&](auto& s) { s.async_write_some(buffers, std::forward<Handler>(handler)); };
    std::visit(write, stream_);
  }

  // Of TLS alone.
  template <typename Handler>
  void async_handshake(Handler&& handler) {
    std::get<Tls>(stream_).async_handshake(boost::asio::ssl::stream_base::server,
                                           std::forward<Handler>(handler));
  }

  // After a failed handshake: where the client spoke HTTP, the stream becomes plain, so that it can be told.
  bool become_plain_for(const error_code& error) {
    if (error.category() != boost::asio::error::get_ssl_category()) return false;
    if (ERR_GET_REASON(static_cast<unsigned long>(error.value())) != SSL_R_HTTP_REQUEST) return false;
    Plain plain(std::move(tcp()));
    stream_.emplace<Plain>(std::move(plain));
    return true;
  }

  // Says that nothing more comes, and then calls `then`; of TLS after the client has said so too, or can no
  // longer. `then` keeps this object alive.
  template <typename Then>
  void end_sending(Then then) {
    Tls* tls = std::get_if<Tls>(&stream_);
    if (tls == nullptr) return end_tcp_sending(), then();
    tls->async_shutdown([this, then = std::move(then)](const error_code&) {
      end_tcp_sending();
      then();
    });
  }

 private:
  void end_tcp_sending() {
    error_code ignored;  // the client may have left first
    tcp().socket().shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
  }

  std::variant<Plain, Tls> stream_;
};

}  // namespace graphbench::net
