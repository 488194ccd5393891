// What a parsed head asks for, as plain data.
#pragma once

#include <boost/beast/http/message.hpp>
#include <optional>

#include "harness/service/net/http.hpp"

namespace graphbench::net {

// A target in absolute form ("http://host/path") is split: its host takes the place of the Host header's.
// Absent where a header that may be given once, and decides who asks or for what, is given twice.
std::optional<Request> request_of(const boost::beast::http::request_header<>& head);

}  // namespace graphbench::net
