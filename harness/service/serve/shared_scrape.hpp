// The bytes of /metrics, shared by clients that scrape at once.
#pragma once

#include <chrono>
#include <memory>
#include <string>

namespace graphbench::serve {

// A client that scrapes while others are being sent the same cells is sent the same bytes: two hundred copies
// of ten thousand series would be hundreds of megabytes. For one thread.
class SharedScrape {
 public:
  using Text = std::shared_ptr<const std::string>;

  template <typename Rest>
  Text body(const Text& cells, Rest&& rest) {
    const auto now = std::chrono::steady_clock::now();
    Text body = body_.lock();
    if (body && cells_ == cells && now < made_at_ + std::chrono::milliseconds(250)) return body;
    body = std::make_shared<const std::string>(*cells + rest());
    body_ = body;
    cells_ = cells;
    made_at_ = now;
    return body;
  }

 private:
  std::weak_ptr<const std::string> body_;  // gone when no client is being sent it
  Text cells_;
  std::chrono::steady_clock::time_point made_at_;
};

}  // namespace graphbench::serve
