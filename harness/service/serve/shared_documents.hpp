// Documents that clients are being sent, so that a hundred who ask for one are sent the same bytes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace graphbench::serve {

// Holds nothing itself: a document goes with the last client that is sent it. For one thread at a time.
class SharedDocuments {
 public:
  using Document = std::shared_ptr<const std::string>;

  // `name` says all that the document depends on. `make` is called where no client is being sent it.
  template <typename Make>
  Document get(const std::string& name, Make&& make) {
    std::erase_if(documents_, [](const auto& each) { return each.second.expired(); });
    const auto known = documents_.find(name);
    Document document = known == documents_.end() ? nullptr : known->second.lock();
    if (document) return document;
    document = std::make_shared<const std::string>(make());
    documents_[name] = document;
    return document;
  }

  // What has that name is another document from now on.
  void forget(const std::string& name) { documents_.erase(name); }

 private:
  std::map<std::string, std::weak_ptr<const std::string>> documents_;
};

}  // namespace graphbench::serve
