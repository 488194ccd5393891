// A body is known by its address: who shares it shares its bytes.
#include "harness/service/net/connections.hpp"

#include <utility>

namespace graphbench::net {
namespace {

// Smaller bodies are bounded by the number of connections.
constexpr std::size_t large_bytes = 64 * 1024;

}  // namespace

bool Connections::has_room_for(const std::string& body) const {
  if (body.size() < large_bytes || bodies.empty() || bodies.contains(&body)) return true;
  return body_bytes + body.size() <= limits.sending_bytes_max;
}

Sending::Sending(Connections& all, std::shared_ptr<const std::string> body)
    : all_(all), body_(std::move(body)) {
  ++all_.answers;
  if (body_->size() >= large_bytes && ++all_.bodies[body_.get()] == 1) all_.body_bytes += body_->size();
}

Sending::~Sending() {
  --all_.answers;
  if (body_->size() >= large_bytes && --all_.bodies[body_.get()] == 0) {
    all_.bodies.erase(body_.get());
    all_.body_bytes -= body_->size();
  }
  all_.changed();
}

}  // namespace graphbench::net
