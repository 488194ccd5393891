// Helpers: a server on a free port, a client that sends any bytes, and an answer whose body a test extends.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <deque>
#include <memory>
#include <string>

#include "harness/service/net/body_stream.hpp"
#include "harness/service/net/http_server.hpp"

namespace graphbench::service {

inline ServerSettings on_a_free_port(ServerLimits limits = {}) {
  ServerSettings settings;
  settings.address = *parse_listen_address("127.0.0.1:0");
  settings.limits = limits;
  return settings;
}

class BareClient {
 public:
  explicit BareClient(const HttpServer& server, const std::string& bytes = "") : socket_(io_) {
    socket_.connect({boost::asio::ip::make_address("127.0.0.1"), server.address().port});
    write(bytes);
  }
  void write(const std::string& bytes) { boost::asio::write(socket_, boost::asio::buffer(bytes)); }
  // True if there is something to read. The end of the connection also counts.
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

inline const char* const get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

inline std::string last_get(const std::string& path = "/") {
  return "GET " + path + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
}

// The test's thread adds parts to the body.
class Streaming {
 public:
  explicit Streaming(std::string first, std::size_t waiting_max = 1024)
      : stream(std::make_shared<BodyStream>(
            std::deque<BodyStream::Bytes>{std::make_shared<const std::string>(std::move(first))}, waiting_max,
            ":\n")) {}
  Handler handler() const {
    return [stream = stream](const Request&) {
      Response response;
      response.content_type = "text/event-stream";
      response.stream = stream;
      return response;
    };
  }
  bool put(const std::string& text) const { return stream->put(std::make_shared<const std::string>(text)); }

  std::shared_ptr<BodyStream> stream;
};

}  // namespace graphbench::service
