// The shared state and counts of one server's connections. It is used only on the server's thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "harness/service/net/http.hpp"
#include "harness/service/net/http_server.hpp"

namespace graphbench::net {

struct Connections {
  ServerLimits limits;
  std::shared_ptr<TlsContext> tls;  // null: plain HTTP
  Handler handler;
  Admit admit;
  Router::Refuse refuse;
  // Where Response::later runs, by whether its work is brief.
  std::function<boost::asio::any_io_executor(bool brief)> aside;
  // Is called when an answer has been sent, and when a connection has ended or has no request any more.
  std::function<void()> changed;

  std::size_t open = 0;
  std::list<boost::beast::tcp_stream*> resting;  // connections without a request, the longest first
  std::size_t answers = 0;  // answers that are being sent; only the beginning of a stream counts
  // Large bodies that are being sent, with the number of clients of each; and the sum of their bytes.
  std::map<const std::string*, std::size_t> bodies;
  std::uint64_t body_bytes = 0;

  // A connection of a full server does not stay open between two requests.
  bool is_full() const { return open >= limits.connections_max; }
  // True if the body may be sent beside the others. A single one always may.
  bool has_room_for(const std::string& body) const;
};

// A connection, until its socket is closed.
class Open {
 public:
  explicit Open(Connections& all) : all_(all) { ++all_.open; }
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;
  ~Open() {
    --all_.open;
    all_.changed();
  }

 private:
  Connections& all_;
};

// A connection without a request, which may be closed to make room for another.
class Resting {
 public:
  Resting(Connections& all, boost::beast::tcp_stream& stream)
      : all_(all), place_(all.resting.insert(all.resting.end(), &stream)) {
    all_.changed();
  }
  Resting(const Resting&) = delete;
  Resting& operator=(const Resting&) = delete;
  ~Resting() { all_.resting.erase(place_); }

 private:
  Connections& all_;
  std::list<boost::beast::tcp_stream*>::iterator place_;
};

// An answer that is being sent.
class Sending {
 public:
  // `body` is not null.
  Sending(Connections& all, std::shared_ptr<const std::string> body);
  Sending(const Sending&) = delete;
  Sending& operator=(const Sending&) = delete;
  ~Sending();

 private:
  Connections& all_;
  std::shared_ptr<const std::string> body_;
};

// Reads requests, passes them on, writes the answers, and goes on where one goes on: until the client leaves,
// a limit is reached or the socket's executor stops. `all` must outlive it.
void serve_connection(boost::asio::ip::tcp::socket socket, Connections& all);

// A target in absolute form ("http://host/path") is split: its host takes the place of the Host header's.
// Absent if a header that decides access or meaning, and may be given once, is given twice.
std::optional<Request> request_of(const boost::beast::http::request_header<>& head);

// Makes the status line and headers, with the empty line behind them.
std::string head_of(const Response& response, bool keep_alive);

}  // namespace graphbench::net
