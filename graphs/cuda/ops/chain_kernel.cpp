// Generates, compiles or finds, and loads the kernel of a chain.
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

std::string cubin_of(OpContext& context, const std::string& source, std::string& why_not) {
  const cache::Key key{cache::Kind::code,
                       {cache::sha256_hex(source), context.architecture, nvrtc_version(), nvrtc_options()}};
  const auto check = [](const std::string& kept) {
    return kept.starts_with("\177ELF") ? std::string() : "it is no code of a device";
  };
  const auto found = context.tuner->cache().find_or_make(key, check, [&]() -> std::optional<std::string> {
    Compiled compiled = compile(source, context.architecture);
    why_not = std::move(compiled.why_not);
    return why_not.empty() ? std::optional(std::move(compiled.cubin)) : std::nullopt;
  });
  return found ? found->content : std::string();
}

}  // namespace

struct GeneratedCode {
  Handle<cudaLibrary_t, UnloadLibrary> library;
  cudaKernel_t kernel = nullptr;
};

std::optional<PreparedOp> prepare_chain(OpContext& context, const ChainCall& call, std::string& why_not) {
  const ChainSource source = chain_source(call);
  why_not = source.why_not;
  if (!why_not.empty()) return std::nullopt;
  const std::string name = "kernel of " + call.kinds();
  std::shared_ptr<GeneratedCode>& code = context.generated[source.text];
  if (code == nullptr) {
    const std::string cubin = cubin_of(context, source.text, why_not);
    if (!why_not.empty()) return std::nullopt;
    auto loaded = std::make_shared<GeneratedCode>();
    check(cudaLibraryLoadData(loaded->library.put(), cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
          "load generated", name.c_str());
    check(cudaLibraryGetKernel(&loaded->kernel, loaded->library.get(), "chain"), "look up", name.c_str());
    code = std::move(loaded);
  }
  KernelCall launch;
  launch.function = reinterpret_cast<const void*>(code->kernel);
  launch.grid = dim3(source.blocks);
  launch.block = dim3(source.threads);
  launch.programmatic = context.programmatic;
  for (std::size_t i = 0; i < call.read + call.written; ++i)
    launch.long_pointers.push_back(operand_source(i));
  launch.pointer_count = static_cast<unsigned>(launch.long_pointers.size());
  launch.long_parameters.resize(launch.long_pointers.size() * sizeof(void*));
  if (!context.load_at_first_use) resolve_function(launch.function, name.c_str());
  PreparedOp prepared;
  prepared.calls.emplace_back(std::move(launch));
  prepared.resources.push_back(code);
  prepared.path.name = call.kinds() + ":generated";
  return prepared;
}

}  // namespace graphbench::cuda
