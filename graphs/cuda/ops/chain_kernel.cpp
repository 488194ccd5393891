// Generates, compiles or finds, and loads the kernel of a chain.
#include <algorithm>
#include <chrono>
#include <cstring>

#include "graphs/cuda/handle.hpp"
#include "graphs/cuda/nvrtc_library.hpp"
#include "graphs/cuda/ops/chain_source.hpp"
#include "graphs/cuda/ops/op_builders.hpp"
#include "graphs/cuda/tuning/tuner.hpp"

namespace graphbench::cuda {
namespace {

struct UnloadLibrary {
  void operator()(cudaLibrary_t library) const noexcept {
    log_failure(cudaLibraryUnload(library), "unload generated code");
  }
};

// Adds what `work` takes to `seconds`.
template <typename Work>
auto timed(double& seconds, Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  auto made = work();
  seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return made;
}

cache::Key key_of(const std::string& source, const std::string& architecture) {
  return {cache::Kind::code, {cache::sha256_hex(source), architecture, nvrtc_version(), nvrtc_options()}};
}

std::optional<cache::Cache::Found> code_of(OpContext& context, const std::string& source,
                                           const std::string& architecture, std::string& why_not) {
  const auto check = [&](const std::string& kept) {
    return is_code(kept, architecture) ? std::string() : "it is no code for " + architecture;
  };
  return context.tuner->cache().find_or_make(
      key_of(source, architecture), check, [&]() -> std::optional<std::string> {
        Compiled compiled =
            timed(context.code_use.compile_seconds, [&] { return compile(source, architecture); });
        why_not = std::move(compiled.why_not);
        return why_not.empty() ? std::optional(std::move(compiled.code)) : std::nullopt;
      });
}

// The device's own architecture; or that of intermediate code, where such a thing was offered and no code of
// the device was.
std::string architecture_for(const OpContext& context, const std::string& source) {
  const cache::Cache& cache = context.tuner->cache();
  const auto is_offered = [&](const std::string& each) { return cache.is_offered(key_of(source, each)); };
  if (is_offered(context.architecture)) return context.architecture;
  const auto found = std::ranges::find_if(context.intermediate, is_offered);
  return found == context.intermediate.end() ? context.architecture : *found;
}

}  // namespace

struct GeneratedCode {
  Handle<cudaLibrary_t, UnloadLibrary> library;
  std::string architecture;
};

std::optional<PreparedOp> prepare_chain(OpContext& context, const ChainCall& call, std::string& why_not) {
  const ChainSource source = timed(context.code_use.generate_seconds, [&] { return chain_source(call); });
  why_not = source.why_not;
  if (!why_not.empty()) return std::nullopt;
  const std::string name = "kernel of " + call.kinds();
  std::shared_ptr<GeneratedCode>& code = context.generated[source.text];
  if (code == nullptr) {
    auto loaded = std::make_shared<GeneratedCode>();
    loaded->architecture = architecture_for(context, source.text);
    const auto found = code_of(context, source.text, loaded->architecture, why_not);
    if (!found) return std::nullopt;
    check(timed(context.code_use.load_seconds,
                [&] {
                  return cudaLibraryLoadData(loaded->library.put(), found->content.c_str(), nullptr, nullptr,
                                             0, nullptr, nullptr, 0);
                }),
          "load generated", name.c_str());
    ++(found->hit ? context.code_use.cached : context.code_use.compiled);
    code = std::move(loaded);
  }
  ++context.code_use.kernels;
  cudaKernel_t kernel = nullptr;
  check(cudaLibraryGetKernel(&kernel, code->library.get(), source.function.c_str()), "look up", name.c_str());
  KernelCall launch;
  launch.function = reinterpret_cast<const void*>(kernel);
  launch.grid = dim3(source.blocks);
  launch.block = dim3(source.threads);
  launch.shared_bytes = source.shared_bytes;
  launch.programmatic = context.programmatic && can_wait_for_kernels_ahead(code->architecture);
  for (std::size_t i = 0; i < call.read + call.written; ++i)
    launch.long_pointers.push_back(operand_source(i));
  launch.pointer_count = static_cast<unsigned>(launch.long_pointers.size());
  const std::size_t pointer_bytes = launch.long_pointers.size() * sizeof(void*);
  launch.long_parameters.resize(pointer_bytes + source.extents.size() * sizeof(std::int64_t));
  std::memcpy(launch.long_parameters.data() + pointer_bytes, source.extents.data(),
              source.extents.size() * sizeof(std::int64_t));
  if (!context.load_at_first_use) resolve_function(launch.function, name.c_str());
  PreparedOp prepared;
  prepared.calls.emplace_back(std::move(launch));
  prepared.resources.push_back(code);
  prepared.path.name = call.kinds() + (call.general ? ":generated for any size" : ":generated");
  prepared.in_place_input = source.in_place_input;
  return prepared;
}

std::vector<cache::Entry> generated_code(OpContext& context, const std::vector<std::string>& architectures) {
  const std::vector<cache::Entry> made = context.tuner->cache().entries();
  std::vector<std::string> sources;
  for (const auto& [source, code] : context.generated) {
    sources.push_back(cache::sha256_hex(source));
    for (const std::string& each : architectures) {
      if (std::ranges::count(made, key_of(source, each), &cache::Entry::key) > 0) continue;
      std::string why_not;
      if (!code_of(context, source, each, why_not))
        throw Error(ErrorCode::unsupported, "compile generated code for " + each + ": " + why_not);
    }
  }
  std::vector<cache::Entry> entries = context.tuner->cache().entries();
  std::erase_if(entries, [&](const cache::Entry& entry) {
    return entry.key.kind != cache::Kind::code || std::ranges::count(sources, entry.key.values[0]) == 0 ||
           std::ranges::count(architectures, entry.key.values[1]) == 0;
  });
  return entries;
}

void offer_code(OpContext& context, const std::vector<cache::Entry>& entries) {
  for (const cache::Entry& entry : entries) {
    context.tuner->cache().offer(entry);
    const std::string& architecture = entry.key.values.at(1);
    if (is_intermediate(architecture) && std::ranges::count(context.intermediate, architecture) == 0)
      context.intermediate.push_back(architecture);
  }
}

}  // namespace graphbench::cuda
