// Which handler answers which path.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "harness/service/net/http.hpp"

namespace graphbench::net {

// Not to be changed while a server uses it.
class Router {
 public:
  // How a router answers where no route does.
  using Refuse = std::function<Response(unsigned status, const std::string& why)>;
  explicit Router(Refuse refuse = text_response) : refuse_(std::move(refuse)) {}

  // `pattern`: "/v1/sweeps/{id}/events"; a part in braces matches one non-empty part of a path.
  void add(const std::string& method, const std::string& pattern, Handler handler);

  // Refuses with 404 where no pattern fits, with 405 and Allow where none of the method does. HEAD is
  // answered as GET; the server does not send the body.
  Response operator()(Request& request) const;

  // The pattern that a path fits, for any method; "other" where none does. For metrics and logs, which must
  // not hold text that clients invent.
  std::string pattern_of(const std::string& path) const;

 private:
  struct Route {
    std::string method;
    std::string pattern;
    std::vector<std::string> parts;
    Handler handler;
  };
  std::vector<Route> routes_;
  Refuse refuse_;
};

}  // namespace graphbench::net
