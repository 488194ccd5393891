// Reads the time of day. People and networks can set it, so measurements use the steady clock instead.
#include "graphs/base/clock.hpp"

#include <ctime>

namespace graphbench {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  char text[32] = {};
  if (gmtime_r(&now, &utc) == nullptr || std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0) {
    return "1970-01-01T00:00:00Z";
  }
  return text;
}

double unix_seconds_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace graphbench
