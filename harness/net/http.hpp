// Requests and responses as plain data, and who answers them.
#pragma once

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
  std::string path;    // of the target, as sent: never decoded, never a file's
  std::string query;   // after the question mark, as sent
  std::string body;
  std::map<std::string, std::string> headers;     // names in lower case; the last of a name counts
  std::map<std::string, std::string> parameters;  // filled by the router: {id} -> what stood there

  // Empty where the header is absent.
  std::string_view header(const std::string& lower_case_name) const;
};

struct Response {
  unsigned status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::shared_ptr<const std::string> body;  // shared: many clients are sent the same bytes
  std::shared_ptr<BodyStream> stream;       // where set, what follows the head in place of `body`
  std::vector<std::pair<std::string, std::string>> headers;
};

// One line of text, for people and for errors.
Response text_response(unsigned status, const std::string& line);

// Called on the server's thread, one request at a time: what takes long belongs elsewhere. Where it
// throws, the client gets a 500 without details.
using Handler = std::function<Response(const Request&)>;

}  // namespace graphbench::net
