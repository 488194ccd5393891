// Documents that clients are being sent, so that all who ask for one share its bytes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace graphbench::serve {

// Holds nothing itself: a document is freed with the last client that is sent it. One thread at a time uses
// it.
class SharedDocuments {
 public:
  using Document = std::shared_ptr<const std::string>;

  // `name` says all that the document depends on. `make` makes it where no client is being sent it.
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

  // Forgets the name, which is another document's from now on.
  void forget(const std::string& name) { documents_.erase(name); }

 private:
  std::map<std::string, std::weak_ptr<const std::string>> documents_;
};

}  // namespace graphbench::serve
