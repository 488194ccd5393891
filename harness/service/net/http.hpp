// Requests and responses as plain data, functions that answer them, and the router that chooses one.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace graphbench::net {

class BodyStream;

struct Request {
  std::string method;  // "GET"
  std::string path;    // path of the target as sent: never decoded, never a file's path
  std::string query;   // after the question mark, as sent
  std::string body;
  std::map<std::string, std::string> headers;  // by name in lower case; a repeated header has its last value
  // filled by the router: {id} -> the part of the path in its place
  std::map<std::string, std::string> parameters;
  std::shared_ptr<void> hold;  // the hold from its admission; released with the request

  // Empty if the header is absent.
  std::string_view header(const std::string& lower_case_name) const;
  // Content-Type without its parameters.
  std::string_view media_type() const;
};

struct Response {
  unsigned status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::shared_ptr<const std::string> body;  // shared: many clients are sent the same bytes
  std::shared_ptr<BodyStream> stream;       // if set, it follows `body`
  std::vector<std::pair<std::string, std::string>> headers;
  // For answers that wait for a disk or take long. Where it is set, the rest is ignored, and it is called
  // with the same request on another thread of the server, one at a time.
  std::function<Response(Request&)> later;
  bool brief = false;  // `later` takes milliseconds: its thread is not held up by answers that take long
};

// One line of text, for people and for errors.
Response text_response(unsigned status, const std::string& line);

// Is called on the server's thread, one request at a time; other work belongs into Response::later. Where it
// throws, the client gets a 500 without details.
using Handler = std::function<Response(Request&)>;

// The decision that is made after the head of a request, before its body is read.
struct Admission {
  std::uint64_t body_bytes_max = 0;  // longer: 413
  bool wants_body = true;  // false: only the head is answered; with a body behind it, it is the last request
  std::shared_ptr<void> hold;  // becomes Request::hold
};
using Admit = std::function<Admission(const Request& head)>;

// Answers requests by their paths. It does not change while a server uses it.
class Router {
 public:
  // Answers where no route does.
  using Refuse = std::function<Response(unsigned status, const std::string& why)>;
  explicit Router(Refuse refuse = text_response) : refuse_(std::move(refuse)) {}

  // `pattern`: "/v1/sweeps/{id}/events"; a part in braces matches one non-empty part of a path.
  void add(const std::string& method, const std::string& pattern, Handler handler);

  // Refuses with 404 where no pattern fits, with 405 and Allow where none of the method does. HEAD is
  // answered as GET; the server does not send the body.
  Response operator()(Request& request) const;

  // The pattern that a path fits, for any method; "other" where none does. It is for metrics and logs, which
  // must not hold text that clients invent.
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
