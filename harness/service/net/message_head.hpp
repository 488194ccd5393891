// The heads of messages: a request's becomes plain data, a response's becomes text.
#pragma once

#include <boost/beast/http/message.hpp>
#include <optional>
#include <string>

#include "harness/service/net/http.hpp"

namespace graphbench::net {

// A target in absolute form ("http://host/path") is split: its host takes the place of the Host header's.
// Absent where a header that decides access or meaning, and may be given once, is given twice.
std::optional<Request> request_of(const boost::beast::http::request_header<>& head);

// Makes the status line and headers, with the empty line behind them.
std::string head_of(const Response& response, bool keep_alive);

}  // namespace graphbench::net
