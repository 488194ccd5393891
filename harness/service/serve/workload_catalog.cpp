// The same check as the command line's. What depends on the device is checked by the sweep, which opens it.
#include "harness/service/serve/workload_catalog.hpp"

#include <algorithm>
#include <utility>

#include "harness/model/input_error.hpp"
#include "harness/plan/make_plan.hpp"
#include "harness/plan/workload_choice.hpp"

namespace graphbench::serve {
namespace {

// Clients do not learn where the service keeps its plugins.
std::string without_files(std::string message, const SweepRequest& request,
                          const std::vector<std::string>& files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (std::size_t at = message.find(files[i]); at != std::string::npos; at = message.find(files[i], at)) {
      message.replace(at, files[i].size(), request.plugins.at(i));
    }
  }
  return message;
}

}  // namespace

WorkloadCatalog::WorkloadCatalog(std::vector<abi::WorkloadInfo> built_in, Ask ask)
    : built_in_(std::move(built_in)), ask_(std::move(ask)) {}

void WorkloadCatalog::check(const SweepRequest& request, const std::vector<std::string>& plugin_files) const {
  if (!ask_) return;
  plan::Catalog catalog;
  catalog.workloads = built_in_;
  try {
    if (!plugin_files.empty()) catalog.workloads = ask_(plugin_files);
  } catch (const InputError& error) {
    throw InputError("", without_files(error.what(), request, plugin_files));
  }
  const config::SweepOptions& options = request.options;
  model::Axes axes = options.axes;
  axes.workload.resize(plan::choose_workloads(options, catalog).size());
  axes.dtype.resize(std::max<std::size_t>(axes.dtype.size(), 1));
  plan::check_size(axes, options.launches, "");
}

}  // namespace graphbench::serve
