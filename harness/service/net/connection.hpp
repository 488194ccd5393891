// The shared state and counts of one server's connections. Only the server's thread uses them.
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
  // Returns the executor that runs Response::later; `brief` is Response::brief.
  std::function<boost::asio::any_io_executor(bool brief)> aside;
  // Called when a response was sent, when a connection has closed, and when a connection has become idle.
  std::function<void()> changed;

  std::size_t open = 0;
  std::list<boost::beast::tcp_stream*> resting;  // idle connections, the longest idle first
  std::size_t answers = 0;  // responses that are being sent; a BodyStream's bytes do not count
  // The large bodies that are being sent, each with its number of clients, and the sum of their bytes.
  std::map<const std::string*, std::size_t> bodies;
  std::uint64_t body_bytes = 0;

  // A full server closes each connection after its response.
  bool is_full() const { return open >= limits.connections_max; }
  // True if the body may be sent while the other large bodies are sent. A single body may have any size.
  bool has_room_for(const std::string& body) const;

  // Each of the next three functions adds an entry, which exists until the returned pointer is released.
  std::shared_ptr<void> count_open();
  // Lists a connection as idle. The server may close an idle connection to make room for a new one.
  std::shared_ptr<void> rest(boost::beast::tcp_stream& stream);
  // Counts a response while it is being sent. `body` is not null.
  std::shared_ptr<void> count_answer(std::shared_ptr<const std::string> body);
};

// Serves the requests of `socket` in a coroutine, which ends at the latest when the client disconnects, a
// time limit passes or the executor stops. `all` must outlive the connection.
void serve_connection(boost::asio::ip::tcp::socket socket, Connections& all);

// Reads a message's head. The host of a target in absolute form ("http://host/path") replaces the header
// Host. Absent if a header such as Authorization or Host, which may be given only once, is given twice.
std::optional<Request> request_of(const boost::beast::http::request_header<>& head);

// Writes the status line, the headers, and the empty line after them.
std::string head_of(const Response& response, bool keep_alive);

}  // namespace graphbench::net
