// Resolve, connect, TLS where asked for, one exchange: one step after the other, until time is up.
#include "harness/service/net/http_client.hpp"

#include <openssl/err.h>
#include <openssl/x509.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <optional>
#include <sstream>

#include "graphs/ir/error.hpp"
#include "harness/service/net/byte_stream.hpp"
#include "harness/service/net/tls_context.hpp"

namespace graphbench::net {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t body_bytes_max = 64 * 1024;
constexpr std::size_t read_bytes = 16 * 1024;

std::string text_of(const ClientRequest& request) {
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
  std::ostringstream text;
  text << message.base();
  return std::move(text).str() + request.body;
}

// Runs asynchronous operations one by one, all before one deadline.
class Steps {
 public:
  explicit Steps(std::chrono::milliseconds deadline) : end_(std::chrono::steady_clock::now() + deadline) {}

  asio::io_context& io() { return io_; }

  // `begin` is given the callback of an operation, which reports an error and a Value.
  template <typename Value, typename Begin>
  Value wait(Begin&& begin) {
    std::optional<Value> value;
    error_code error;
    begin([&](const error_code& failed, Value got) {
      error = failed;
      value = std::move(got);
    });
    io_.restart();
    io_.run_until(end_);
    if (!value) throw Error(ErrorCode::io, "no answer in time");
    if (error) throw boost::system::system_error(error);
    return *std::move(value);
  }

 private:
  const std::chrono::steady_clock::time_point end_;
  asio::io_context io_;
};

ClientResponse read_response(Steps& steps, ByteStream& stream) {
  beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(body_bytes_max);
  parser.eager(true);
  while (!parser.is_done()) {
    error_code error;
    std::size_t got = 0;
    try {
      got = steps.wait<std::size_t>(
          [&](auto done) { stream.read_some(buffer.prepare(read_bytes), std::move(done)); });
    } catch (const boost::system::system_error& failed) {
      if (failed.code() != asio::error::eof && failed.code() != asio::ssl::error::stream_truncated) throw;
      parser.put_eof(error);
      if (error) throw boost::system::system_error(error);
      break;
    }
    buffer.commit(got);
    buffer.consume(parser.put(buffer.data(), error));
    if (error && error != http::error::need_more) throw boost::system::system_error(error);
  }
  return {parser.get().result_int(), parser.get().body()};
}

ClientResponse exchange(const ClientRequest& request) {
  Steps steps(request.deadline);
  const Url& url = request.url;
  tcp::resolver resolver(steps.io());
  const auto endpoints = steps.wait<tcp::resolver::results_type>(
      [&](auto done) { resolver.async_resolve(url.host, url.port, std::move(done)); });
  tcp::socket socket(steps.io());
  steps.wait<tcp::endpoint>([&](auto done) { asio::async_connect(socket, endpoints, std::move(done)); });
  ByteStream stream(std::move(socket), url.tls ? tls_for_client() : nullptr);
  if (url.tls) {
    steps.wait<std::size_t>([&](auto done) { stream.handshake_as_client(url.host, std::move(done)); });
  }
  const std::string text = text_of(request);
  steps.wait<std::size_t>([&](auto done) { stream.write({asio::buffer(text)}, std::move(done)); });
  return read_response(steps, stream);
}

std::string message_of(const error_code& error) {
  const int reason = ERR_GET_REASON(static_cast<unsigned long>(error.value()));
  const bool untrusted =
      error.category() == asio::error::get_ssl_category() && reason == SSL_R_CERTIFICATE_VERIFY_FAILED;
  return untrusted ? "its certificate is not trusted: let SSL_CERT_FILE name the one that signed it"
                   : error.message();
}

}  // namespace

ClientResponse send(const ClientRequest& request) {
  const std::string what = request.method + " at " + request.url.host + ":" + request.url.port + ": ";
  try {
    return exchange(request);
  } catch (const boost::system::system_error& error) {
    throw Error(ErrorCode::io, what + message_of(error.code()));
  } catch (const std::exception& error) {
    throw Error(ErrorCode::io, what + error.what());
  }
}

}  // namespace graphbench::net
