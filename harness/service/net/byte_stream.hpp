// A connected byte stream, plain or TLS. Its functions are no templates, so that the stacks of Boost.Asio,
// Beast and OpenSSL are compiled in one place.
#pragma once

#include <array>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "harness/service/net/tls.hpp"

namespace graphbench::net {

// One read and one write may be under way at a time. A callback keeps this object alive.
class ByteStream {
 public:
  using error_code = boost::system::error_code;
  using Done = std::function<void(error_code error, std::size_t bytes)>;
  using Clock = std::chrono::steady_clock;

  // `tls` null: plain.
  ByteStream(boost::asio::ip::tcp::socket socket, std::shared_ptr<TlsContext> tls);
  ByteStream(ByteStream&&) noexcept;
  ByteStream& operator=(ByteStream&&) noexcept;
  ~ByteStream();

  boost::asio::any_io_executor executor() const;
  bool is_tls() const;

  // When reads, writes and handshakes that begin from now on fail, and the connection closes.
  void expires_at(Clock::time_point time);
  void expires_after(Clock::duration time) { expires_at(Clock::now() + time); }
  void expires_never();

  void read_some(boost::asio::mutable_buffer buffer, Done done);
  // All of both.
  void write(const std::array<boost::asio::const_buffer, 2>& buffers, Done done);

  // Of TLS alone.
  void handshake_as_server(Done done);
  // Checks the server's certificate against `host`, a name or an address. Throws Error(io) where the name
  // does not fit into TLS.
  void handshake_as_client(const std::string& host, Done done);
  // After a failed handshake: where the client spoke HTTP, the stream becomes plain, so that it can be
  // answered.
  bool become_plain_for(const error_code& error);

  // Says that nothing more comes, and then calls `done`; of TLS after the other side has said so too, or
  // cannot any more.
  void end_sending(Done done);
  void close();

 private:
  struct Layers;
  std::unique_ptr<Layers> layers_;
};

}  // namespace graphbench::net
