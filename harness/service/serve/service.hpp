// The service as a whole: store, runner, server, from start to stop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/service/net/addresses.hpp"
#include "harness/service/net/tls.hpp"
#include "harness/service/publish/baseline.hpp"
#include "harness/service/serve/service_api.hpp"

namespace graphbench::serve {

struct ServiceSettings {
  net::ListenAddress listen;
  std::string state_folder;
  Access access;                         // with a token, where `listen` is not loopback
  std::shared_ptr<net::TlsContext> tls;  // null: plain HTTP
  double grace_seconds = 10;
  std::uint64_t compare_bytes_max = 64 * 1024 * 1024;  // the limit of a comparison's body
  PluginFolder plugins = {};                           // what requests may name
  WorkloadCatalog workloads = {};                      // what requests may name
  std::vector<std::string> sweep_command;              // starts a sweep that reports its events
  std::vector<ListedDevice> devices;                   // what GET /v1/devices says
  std::string tool_version;
  std::shared_ptr<const publish::Baseline> baseline;  // what sweeps are compared with; null: nothing
};

// Raises the soft limit of file descriptors to what a service with all its clients needs. Throws Error(io)
// where the hard limit is lower.
void raise_descriptor_limit();

class Service {
 public:
  // Begins to serve. Throws Error(io) where it cannot listen, or keep its state in the folder.
  explicit Service(ServiceSettings settings);
  // Stops listening, then the running sweep.
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  const net::ListenAddress& address() const noexcept;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace graphbench::serve
