// Servers on free ports, and a client that sends any bytes.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <string>

#include "harness/service/net/http_server.hpp"

namespace graphbench::net {

inline ServerSettings on_a_free_port(ServerLimits limits = {}) {
  ServerSettings settings;
  settings.address = *parse_listen_address("127.0.0.1:0");
  settings.limits = limits;
  return settings;
}

// Sends bytes as they are, reads what comes.
class BareClient {
 public:
  explicit BareClient(const HttpServer& server) : socket_(io_) {
    socket_.connect({boost::asio::ip::make_address("127.0.0.1"), server.address().port});
  }
  void write(const std::string& bytes) { boost::asio::write(socket_, boost::asio::buffer(bytes)); }
  // Whether there is something to read, or the end.
  bool has_answer() { return socket_.available() > 0; }
  std::string read_to_end() {
    std::string bytes;
    boost::system::error_code error;
    boost::asio::read(socket_, boost::asio::dynamic_buffer(bytes), error);
    return bytes;
  }
  std::string read_some() {
    std::string bytes(65536, '\0');
    boost::system::error_code error;
    bytes.resize(socket_.read_some(boost::asio::buffer(bytes), error));
    return bytes;
  }

 private:
  boost::asio::io_context io_;
  boost::asio::ip::tcp::socket socket_;
};

}  // namespace graphbench::net
