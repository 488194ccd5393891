// graphbench_caller_loops: measures what each form of --io costs, on graphs of 1 to 4,096 small kernels: our
// submit against bare loops of the same CUDA calls; latency by nodes and bytes; up to which share of steps
// with new addresses each form takes less time than copies. Checks that updates do not change the memory in
// use. Exit codes: 0 all within limits, 1 some are not or something failed, 2 bad usage, 77 no GPU.
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include "caller_chain.hpp"
#include "gpu_program.hpp"

namespace graphbench::gpu {
namespace {

using execution::IoForm;

struct Form {
  IoForm form;
  const char* name;
  double limit;  // the largest allowed ratio of our submit time to the bare one; 0: none
};
constexpr Form forms[] = {
    {IoForm::copy_in, "copy_in", 1.05},       {IoForm::copy_in_out, "copy_in_out", 1.05},
    {IoForm::copy_out, "copy_out", 1.05},     {IoForm::copy_if_moved, "copy_if_moved", 0},
    {IoForm::set_params, "set_params", 1.10}, {IoForm::update, "update", 1.10},
    {IoForm::recapture, "recapture", 0},      {IoForm::exec_per_set, "exec_per_set", 0}};
constexpr std::size_t node_counts[] = {1, 4, 16, 64, 256, 1024, 4096};
constexpr std::int64_t copied_bytes[] = {4 << 10, 1 << 20, 64 << 20};

// Compares several builds at once. At thousands of nodes, a graph's address in memory changes its submit time
// by several percent, so all builds are kept: each has another address.
Paired compare_builds(Device& device, Stream& stream, const ir::Program& program, std::size_t nodes,
                      const Form& form) {
  constexpr std::size_t builds = 5;
  constexpr std::size_t blocks = 4;  // per build
  std::vector<std::unique_ptr<OurChain>> ours;
  std::vector<std::unique_ptr<BareChain>> bare;
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < builds; ++i) {
    ours.push_back(std::make_unique<OurChain>(device, stream, program, form.form));
    bare.push_back(std::make_unique<BareChain>(device, program, nodes,
                                               static_cast<cudaStream_t>(stream.native_handle())));
    pairs.push_back({[&ours = *ours.back()] { ours.executor->submit(); },
                     [&bare = *bare.back(), &form] { bare.step(form.form); }});
  }
  return take_pairs(stream, blocks, form.limit, pairs);
}

bool compare_all(Device& device, Stream& stream, std::int64_t elements) {
  bool all_within = true;
  std::printf("submit with %lld bytes in and as many out\n%-13s %6s %10s %10s %7s %7s %7s %6s\n",
              static_cast<long long>(elements) * 4, "io", "nodes", "ours_us", "bare_us", "ratio", "low",
              "high", "limit");
  for (const std::size_t nodes : node_counts) {
    const ir::Program program = chain_of(nodes, elements);
    for (const Form& form : forms) {
      const Paired paired = compare_builds(device, stream, program, nodes, form);
      std::printf("%-13s %6zu", form.name, nodes);
      all_within = print_within(paired, form.limit) && all_within;
    }
  }
  return all_within;
}

// Returns up to which share r of steps with new addresses changing the graph takes less time than copying. A
// caller that changes the graph in these steps alone takes (1 - r) x unchanged + r x changed.
std::string pays_up_to(double unchanged, double changed, double copying) {
  if (changed <= copying) return "always";
  if (copying <= unchanged) return "never";
  char text[32];
  std::snprintf(text, sizeof text, "%.3g %%", 100 * (copying - unchanged) / (changed - unchanged));
  return text;
}

// `bytes`: of the input, and of the output. Each latency is the least of several builds, which are all kept:
// at some addresses, each step of the same chain takes up to a quarter longer.
void tabulate(Device& device, Stream& stream) {
  constexpr std::size_t builds = 4;
  constexpr IoForm columns[] = {IoForm::fixed,  IoForm::copy_in_out, IoForm::set_params,
                                IoForm::update, IoForm::recapture,   IoForm::exec_per_set};
  std::printf(
      "\nlatency in us by what a step does, and the share of steps with new addresses up to which changing "
      "the\n"
      "graph in these alone takes less time than copies in every step; of exec_per_set: with sets never "
      "seen\n\n"
      "| nodes | bytes | `static` | two copies | `set_params` | `update` | `recapture` | `exec_per_set` | "
      "`set_params` pays up to | `update` pays up to | `recapture` pays up to | `exec_per_set` pays up to |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const std::size_t nodes : node_counts) {
    for (const std::int64_t bytes : copied_bytes) {
      const ir::Program program = chain_of(nodes, bytes / 4);
      std::vector<std::unique_ptr<OurChain>> chains;
      std::vector<std::function<void()>> steps;
      for (std::size_t i = 0; i < builds * std::size(columns); ++i) {
        chains.push_back(std::make_unique<OurChain>(device, stream, program, columns[i / builds]));
        steps.emplace_back([executor = chains.back()->executor.get()] { executor->submit(); });
      }
      const std::vector<double> of_builds = take_latencies(stream, 3, steps);
      std::vector<double> us;
      for (auto at = of_builds.begin(); at != of_builds.end(); at += builds)
        us.push_back(*std::min_element(at, at + builds));
      std::printf("| %zu | %lld |", nodes, static_cast<long long>(bytes));
      for (const double each : us) std::printf(" %.4g |", each);
      for (const std::size_t changing : {2, 3, 4})
        std::printf(" %s |", pays_up_to(us[0], us[changing], us[1]).c_str());
      std::printf(" %s |\n", pays_up_to(us[5], us[4], us[1]).c_str());
      std::fflush(stdout);
    }
  }
  std::printf("\n");
}

struct HostMemory {
  std::int64_t heap = static_cast<std::int64_t>(mallinfo2().uordblks);
  std::int64_t resident = read_resident();

  static std::int64_t read_resident() {
    std::int64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages >> pages;
    return pages * sysconf(_SC_PAGESIZE);
  }
};

// Compares memory before and after 1,000 updates, once the driver has allocated what updates need. Allows
// one page per hundred updates, which may have other causes; a leak of a node's size would be more.
bool updates_leave_memory(Device& device, Stream& stream, std::size_t nodes) {
  constexpr int updates = 1000;
  constexpr std::int64_t resident_max = 10 * 4096;
  const ir::Program program = chain_of(nodes, 1024);
  OurChain chain(device, stream, program, IoForm::update);
  const auto update = [&](int times) {
    for (int i = 0; i < times; ++i) chain.executor->submit();
    stream.synchronize();
  };
  update(updates / 4);
  const auto free_before = static_cast<std::int64_t>(device.memory().free_bytes);
  const HostMemory before;
  update(updates);
  const HostMemory after;
  const auto lost = free_before - static_cast<std::int64_t>(device.memory().free_bytes);
  const std::int64_t heap = after.heap - before.heap;
  const std::int64_t resident = after.resident - before.resident;
  const bool flat = lost <= 0 && heap < updates && resident <= resident_max;
  std::printf("%d updates of %zu nodes: device %+lld, heap %+lld, resident %+lld bytes%s\n", updates, nodes,
              static_cast<long long>(lost), static_cast<long long>(heap), static_cast<long long>(resident),
              flat ? "" : "  OVER");
  return flat;
}

int run(Device& device, std::int64_t elements) {
  const std::unique_ptr<Stream> stream = device.make_stream();
  bool good = compare_all(device, *stream, elements);
  tabulate(device, *stream);
  for (const std::size_t nodes : {16, 1024}) good = updates_leave_memory(device, *stream, nodes) && good;
  return good ? 0 : 1;
}

}  // namespace
}  // namespace graphbench::gpu

int main(int argc, char** argv) {
  std::int64_t elements = 1024;
  if (argc == 3 && std::strcmp(argv[1], "--elements") == 0) {
    const char* end = argv[2] + std::strlen(argv[2]);
    const auto [stop, error] = std::from_chars(argv[2], end, elements);
    if (error != std::errc() || stop != end) elements = 0;
  } else if (argc != 1) {
    elements = 0;
  }
  if (elements <= 0) {
    std::fprintf(stderr, "graphbench_caller_loops: give nothing, or --elements N, fp32 numbers a value\n");
    return 2;
  }
  return graphbench::gpu::run_on_gpu("graphbench_caller_loops", [&](graphbench::Device& device) {
    return graphbench::gpu::run(device, elements);
  });
}
