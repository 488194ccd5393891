// Resolve, connect, TLS where asked for, one exchange: a coroutine, run until it ends or time is up.
#include "harness/service/net/http_client.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <exception>
#include <optional>

#include "graphs/ir/error.hpp"
#include "harness/service/net/tls_context.hpp"

namespace graphbench::net {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::use_awaitable;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t body_bytes_max = 64 * 1024;

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
asio::awaitable<ClientResponse> exchange(Stream& stream, const ClientRequest& request) {
  const http::request<http::string_body> message = message_of(request);
  co_await http::async_write(stream, message, use_awaitable);
  beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(body_bytes_max);
  co_await http::async_read(stream, buffer, parser, use_awaitable);
  co_return ClientResponse{parser.get().result_int(), parser.get().body()};
}

asio::awaitable<ClientResponse> run(const ClientRequest& request) {
  const auto executor = co_await asio::this_coro::executor;
  tcp::resolver resolver(executor);
  const auto endpoints = co_await resolver.async_resolve(request.url.host, request.url.port, use_awaitable);
  tcp::socket socket(executor);
  co_await asio::async_connect(socket, endpoints, use_awaitable);
  if (!request.url.tls) co_return co_await exchange(socket, request);
  asio::ssl::context context(asio::ssl::context::tls_client);
  set_protocol(context);
  context.set_default_verify_paths();
  asio::ssl::stream<tcp::socket> stream(std::move(socket), context);
  stream.set_verify_mode(asio::ssl::verify_peer);
  stream.set_verify_callback(asio::ssl::host_name_verification(request.url.host));
  // RFC 6066 has no addresses there.
  error_code no_address;
  asio::ip::make_address(request.url.host, no_address);
  if (no_address && SSL_set_tlsext_host_name(stream.native_handle(), request.url.host.c_str()) != 1) {
    throw Error(ErrorCode::io, "the host name does not fit into TLS");
  }
  co_await stream.async_handshake(asio::ssl::stream_base::client, use_awaitable);
  co_return co_await exchange(stream, request);
}

std::string words_of(const error_code& error) {
  const int reason = ERR_GET_REASON(static_cast<unsigned long>(error.value()));
  const bool untrusted =
      error.category() == asio::error::get_ssl_category() && reason == SSL_R_CERTIFICATE_VERIFY_FAILED;
  return untrusted ? "its certificate is not trusted: let SSL_CERT_FILE name the one that signed it"
                   : error.message();
}

}  // namespace

ClientResponse send(const ClientRequest& request) {
  const std::string place = request.url.host + ":" + request.url.port;
  asio::io_context io;
  std::optional<ClientResponse> response;
  std::exception_ptr failure;
  const auto done = [&](const std::exception_ptr& thrown, ClientResponse answer) {
    failure = thrown;
    if (!thrown) response = std::move(answer);
  };
  asio::co_spawn(io, run(request), done);
  io.run_for(request.deadline);
  try {
    if (failure) std::rethrow_exception(failure);
  } catch (const boost::system::system_error& error) {
    throw Error(ErrorCode::io, request.method + " at " + place + ": " + words_of(error.code()));
  } catch (const std::exception& error) {
    throw Error(ErrorCode::io, request.method + " at " + place + ": " + error.what());
  }
  if (!response) throw Error(ErrorCode::io, request.method + " at " + place + ": no answer in time");
  return *std::move(response);
}

}  // namespace graphbench::net
