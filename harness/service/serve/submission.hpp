// POST /v1/sweeps: what is asked for is checked, and queued.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/service/net/http.hpp"
#include "harness/service/serve/plugin_folder.hpp"
#include "harness/service/serve/sweep_store.hpp"
#include "harness/service/serve/workload_catalog.hpp"

namespace graphbench::serve {

net::Response queue_is_full();

// Thread-safe as far as a Router needs it.
class Submission {
 public:
  struct Settings {
    std::size_t queued_max = 0;
    PluginFolder plugins;
    WorkloadCatalog workloads;
  };
  // `queued` is called after something was. The store outlives this.
  Submission(Settings settings, SweepStore& store, std::function<void()> queued);

  // A request that names plugins is answered later: they are loaded, which takes as long as it takes.
  net::Response answer(const net::Request& request) const;

 private:
  std::vector<std::string> files_of(const std::vector<std::string>& plugins) const;
  net::Response queue(const SweepRequest& asked, const std::string& key) const;
  net::Response queue_with_plugins(const SweepRequest& asked, const std::string& key) const;

  const Settings settings_;
  SweepStore& store_;
  const std::function<void()> queued_;
  const std::shared_ptr<char> turn_ = std::make_shared<char>();  // its copies are with those who wait
};

}  // namespace graphbench::serve
