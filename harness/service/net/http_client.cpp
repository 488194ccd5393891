// Sends one request in a coroutine with a deadline: resolves, connects, uses TLS, reads the response.
#include "harness/service/net/http_client.hpp"

#include <openssl/err.h>
#include <openssl/x509.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <exception>
#include <optional>

#include "graphs/base/error.hpp"
#include "harness/service/net/tls_context.hpp"

namespace graphbench::service {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t answer_bytes_max = 64 * 1024;

http::request<http::string_body> message_of(const ClientRequest& request) {
  http::request<http::string_body> message;
  message.version(11);
  message.method_string(request.method);
  message.target(request.url.path + request.path);
  const bool v6 = request.url.host.find(':') != std::string::npos;
  const std::string host = v6 ? "[" + request.url.host + "]" : request.url.host;
  message.set(http::field::host, host + ":" + request.url.port);
  message.set(http::field::user_agent, "graphbench");
  for (const auto& [name, value] : request.headers) message.set(name, value);
  message.keep_alive(false);
  message.body() = request.body;
  message.prepare_payload();
  return message;
}

template <typename Stream>
asio::awaitable<ClientResponse> converse(Stream& stream, const ClientRequest& request) {
  const http::request<http::string_body> message = message_of(request);
  co_await http::async_write(stream, message, asio::use_awaitable);
  boost::beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(answer_bytes_max);
  error_code error;
  co_await http::async_read(stream, buffer, parser, asio::redirect_error(asio::use_awaitable, error));
  if (error == asio::ssl::error::stream_truncated) {
    error = {};
    parser.put_eof(error);  // fails if a part of the message is missing
  }
  if (error) throw boost::system::system_error(error);
  co_return ClientResponse{parser.get().result_int(), std::move(parser.get().body())};
}

using TlsSocket = asio::ssl::stream<tcp::socket>;

asio::awaitable<void> shake_hands(TlsSocket& stream, const std::string& host) {
  stream.set_verify_callback(asio::ssl::host_name_verification(host));
  // RFC 6066 allows host names in server_name, but not addresses.
  error_code no_address;
  static_cast<void>(asio::ip::make_address(host, no_address));
  if (no_address && SSL_set_tlsext_host_name(stream.native_handle(), host.c_str()) != 1) {
    throw Error(ErrorCode::io, "the host name is not valid for TLS");
  }
  co_await stream.async_handshake(asio::ssl::stream_base::client, asio::use_awaitable);
}

asio::awaitable<ClientResponse> exchange(const ClientRequest& request) {
  const Url& url = request.url;
  tcp::resolver resolver(co_await asio::this_coro::executor);
  const tcp::resolver::results_type endpoints =
      co_await resolver.async_resolve(url.host, url.port, asio::use_awaitable);
  tcp::socket socket(resolver.get_executor());
  co_await asio::async_connect(socket, endpoints, asio::use_awaitable);
  ClientResponse response;
  if (url.tls) {
    const std::shared_ptr<TlsContext> tls = tls_for_client();
    TlsSocket stream(std::move(socket), tls->context);
    co_await shake_hands(stream, url.host);
    response = co_await converse(stream, request);
  } else {
    response = co_await converse(socket, request);
  }
  co_return response;
}

ClientResponse exchange_in_time(const ClientRequest& request) {
  std::optional<ClientResponse> response;
  std::exception_ptr failed;
  asio::io_context io;
  asio::co_spawn(io, exchange(request), [&](std::exception_ptr error, ClientResponse got) {
    failed = std::move(error);
    response = std::move(got);
  });
  io.run_for(request.deadline);
  if (failed) std::rethrow_exception(failed);
  if (!response) throw Error(ErrorCode::io, "the server did not answer in time");
  return *std::move(response);
}

std::string message_of(const error_code& error) {
  const int reason = ERR_GET_REASON(static_cast<unsigned long>(error.value()));
  const bool untrusted =
      error.category() == asio::error::get_ssl_category() && reason == SSL_R_CERTIFICATE_VERIFY_FAILED;
  return untrusted
             ? "the server's certificate is not trusted: set SSL_CERT_FILE to the certificate that signed it"
             : error.message();
}

}  // namespace

ClientResponse send(const ClientRequest& request) {
  const std::string what = request.method + " at " + request.url.host + ":" + request.url.port + ": ";
  try {
    return exchange_in_time(request);
  } catch (const boost::system::system_error& error) {
    throw Error(ErrorCode::io, what + message_of(error.code()));
  } catch (const std::exception& error) {
    throw Error(ErrorCode::io, what + error.what());
  }
}

}  // namespace graphbench::service
