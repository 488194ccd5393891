// Serves one connection, and reads and writes heads of messages. Only the server's thread uses them.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/http/message.hpp>
#include <optional>
#include <string>

#include "harness/service/net/connections.hpp"
#include "harness/service/net/http.hpp"

namespace graphbench::service {

// Serves the requests of `socket` in a coroutine, which ends at the latest when the client disconnects, a
// time limit passes or the executor stops. `all` must outlive the connection.
void serve_connection(boost::asio::ip::tcp::socket socket, Connections& all);

// Reads a message's head. The host of a target in absolute form ("http://host/path") replaces the header
// Host. Absent if a header such as Authorization or Host, which may be given only once, is given twice.
std::optional<Request> request_of(const boost::beast::http::request_header<>& head);

// Writes the status line, the headers, and the empty line after them.
std::string message_head_of(const Response& response, bool keep_alive);

}  // namespace graphbench::service
