// Beast's tcp_stream has the deadlines, Boost.Asio's ssl::stream the encryption.
#include "harness/service/net/byte_stream.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <optional>
#include <utility>

#include "graphs/ir/error.hpp"
#include "harness/service/net/tls_context.hpp"

namespace graphbench::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using TcpStream = boost::beast::tcp_stream;

struct ByteStream::Layers {
  Layers(tcp::socket connected, std::shared_ptr<TlsContext> tls_context)
      : context(std::move(tls_context)), socket(std::move(connected)) {
    if (context) tls.emplace(socket, context->context);
  }

  void end_tcp_sending() {
    error_code ignored;  // the other side may have left first
    static_cast<void>(socket.socket().shutdown(tcp::socket::shutdown_send, ignored));
  }

  std::shared_ptr<TlsContext> context;
  TcpStream socket;
  std::optional<asio::ssl::stream<TcpStream&>> tls;
};

ByteStream::ByteStream(tcp::socket socket, std::shared_ptr<TlsContext> tls)
    : layers_(std::make_unique<Layers>(std::move(socket), std::move(tls))) {}
ByteStream::ByteStream(ByteStream&&) noexcept = default;
ByteStream& ByteStream::operator=(ByteStream&&) noexcept = default;
ByteStream::~ByteStream() = default;

asio::any_io_executor ByteStream::executor() const {
  return layers_->socket.get_executor();
}

bool ByteStream::is_tls() const {
  return layers_->tls.has_value();
}

void ByteStream::expires_at(Clock::time_point time) {
  layers_->socket.expires_at(time);
}

void ByteStream::expires_never() {
  layers_->socket.expires_never();
}

void ByteStream::read_some(asio::mutable_buffer buffer, Done done) {
  if (layers_->tls) return layers_->tls->async_read_some(buffer, std::move(done));
  layers_->socket.async_read_some(buffer, std::move(done));
}

void ByteStream::write(const std::array<asio::const_buffer, 2>& buffers, Done done) {
  if (layers_->tls) return asio::async_write(*layers_->tls, buffers, std::move(done));
  asio::async_write(layers_->socket, buffers, std::move(done));
}

void ByteStream::handshake_as_server(Done done) {
  layers_->tls->async_handshake(asio::ssl::stream_base::server,
                                [done = std::move(done)](error_code error) { done(error, 0); });
}

void ByteStream::handshake_as_client(const std::string& host, Done done) {
  auto& tls = *layers_->tls;
  tls.set_verify_callback(asio::ssl::host_name_verification(host));
  // RFC 6066 allows no addresses there.
  error_code no_address;
  static_cast<void>(asio::ip::make_address(host, no_address));
  if (no_address && SSL_set_tlsext_host_name(tls.native_handle(), host.c_str()) != 1) {
    throw Error(ErrorCode::io, "the host name does not fit into TLS");
  }
  tls.async_handshake(asio::ssl::stream_base::client,
                      [done = std::move(done)](error_code error) { done(error, 0); });
}

bool ByteStream::become_plain_for(const error_code& error) {
  if (error.category() != asio::error::get_ssl_category()) return false;
  if (ERR_GET_REASON(static_cast<unsigned long>(error.value())) != SSL_R_HTTP_REQUEST) return false;
  layers_->tls.reset();
  return true;
}

void ByteStream::end_sending(Done done) {
  Layers& layers = *layers_;
  if (!layers.tls) {
    layers.end_tcp_sending();
    return done({}, 0);
  }
  layers.tls->async_shutdown([&layers, done = std::move(done)](error_code error) {
    layers.end_tcp_sending();
    done(error, 0);
  });
}

void ByteStream::close() {
  layers_->socket.close();
}

}  // namespace graphbench::net
