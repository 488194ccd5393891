// Answers as JSON, and the exception with which a handler refuses a request.
#pragma once

#include <exception>
#include <string>

#include "harness/service/net/http.hpp"

namespace graphbench::serve {

net::Response json_response(unsigned status, std::string document);
// {"error": "why"}
net::Response refusal(unsigned status, const std::string& why);

// The request is answered with refusal(status, why). `retry_after`: seconds for that header; 0: without it.
class Refused : public std::exception {
 public:
  Refused(unsigned status, std::string why, int retry_after = 0);
  const char* what() const noexcept override { return why_.c_str(); }
  net::Response response() const;

 private:
  unsigned status_;
  std::string why_;
  int retry_after_;
};

}  // namespace graphbench::serve
