// Requests and responses as plain data, handlers that answer them, and the router that chooses a handler.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace graphbench::service {

class BodyStream;

struct Request {
  std::string method;
  std::string path;   // path of the target as sent: never decoded, never a file's path
  std::string query;  // after the question mark, as sent
  std::string body;
  std::map<std::string, std::string> headers;  // keys in lower case; the last of repeated headers counts
  // Set by the router: "id" maps to the part of the path that matches {id} in the pattern.
  std::map<std::string, std::string> parameters;

  // Empty if the header is absent.
  std::string_view header(const std::string& lower_case_name) const;
  // Content-Type without its parameters.
  std::string_view media_type() const;
};

struct Response {
  unsigned status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::shared_ptr<const std::string> body = nullptr;  // shared: many clients may receive the same bytes
  std::shared_ptr<BodyStream> stream = nullptr;       // if set, sent after `body`
  std::vector<std::pair<std::string, std::string>> headers = {};
  // Set by handlers that wait for a disk or take long. The server then ignores all members except `brief`,
  // and calls `later` with the same request on another thread, one call at a time.
  std::function<Response(Request&)> later = nullptr;
  bool brief = false;  // `later` takes milliseconds, and runs on a thread for such calls only
};

Response text_response(unsigned status, const std::string& line);

// Called on the server's thread, one request at a time; slow work belongs in Response::later. If a handler
// throws, the client gets a 500 without details.
using Handler = std::function<Response(Request&)>;

// The decision about a request that the server makes before it reads the body.
struct Admission {
  std::uint64_t body_bytes_max = 0;  // longer: 413
  bool wants_body = true;            // false: the body stays unread; if there is a body, the connection ends
  bool vital = false;                // answered also by a connection of ServerLimits::connections_kept
};
using Admit = std::function<Admission(const Request& head)>;

// Chooses the handler by the request's path. Does not change while a server uses it.
class Router {
 public:
  using Refuse = std::function<Response(unsigned status, const std::string& why)>;
  explicit Router(Refuse refuse = text_response) : refuse_(std::move(refuse)) {}

  // `pattern`: "/v1/sweeps/{id}/events"; a part in braces matches one non-empty part of a path.
  void add(const std::string& method, const std::string& pattern, Handler handler);

  // Refuses a path that fits no pattern with 404, and a method without a route with 405 and an Allow header.
  // Answers HEAD like GET; the server does not send the body.
  Response operator()(Request& request) const;

  // The pattern that a path fits, else "other": metrics and logs must not have text that clients choose.
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

}  // namespace graphbench::service
