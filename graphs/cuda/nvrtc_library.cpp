// Opens libnvrtc and compiles. Its functions are declared here: toolkits may come without its header.
#include "graphs/cuda/nvrtc_library.hpp"

#include <cuda_runtime_api.h>

#include <array>
#include <vector>

#include "graphs/cuda/dynamic_library.hpp"
#include "graphs/ir/error.hpp"

namespace graphbench::cuda {
namespace {

using Program = struct NvrtcProgram*;

struct Library {
  int (*version)(int* major, int* minor) = nullptr;
  int (*create)(Program* program, const char* source, const char* name, int headers, const char* const* texts,
                const char* const* names) = nullptr;
  int (*destroy)(Program* program) = nullptr;
  int (*compile)(Program program, int options, const char* const* texts) = nullptr;
  int (*cubin_size)(Program program, std::size_t* bytes) = nullptr;
  int (*cubin)(Program program, char* to) = nullptr;
  int (*ptx_size)(Program program, std::size_t* bytes) = nullptr;
  int (*ptx)(Program program, char* to) = nullptr;
  int (*architecture_count)(int* count) = nullptr;
  int (*architectures)(int* to) = nullptr;
  int (*log_size)(Program program, std::size_t* bytes) = nullptr;
  int (*log)(Program program, char* to) = nullptr;
  std::string why;  // not empty: it cannot be used
};

constexpr std::array<const char*, 2> options = {"-fmad=false", "--std=c++17"};

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Library open() {
  const std::string versioned = "libnvrtc.so." + std::to_string(CUDART_VERSION / 1000);
  DynamicLibrary file("NVRTC", {versioned, "/usr/local/cuda/lib64/" + versioned});
  Library library;
  file.look_up("nvrtcVersion", library.version);
  file.look_up("nvrtcCreateProgram", library.create);
  file.look_up("nvrtcDestroyProgram", library.destroy);
  file.look_up("nvrtcCompileProgram", library.compile);
  file.look_up("nvrtcGetCUBINSize", library.cubin_size);
  file.look_up("nvrtcGetCUBIN", library.cubin);
  file.look_up("nvrtcGetPTXSize", library.ptx_size);
  file.look_up("nvrtcGetPTX", library.ptx);
  file.look_up("nvrtcGetNumSupportedArchs", library.architecture_count);
  file.look_up("nvrtcGetSupportedArchs", library.architectures);
  file.look_up("nvrtcGetProgramLogSize", library.log_size);
  file.look_up("nvrtcGetProgramLog", library.log);
  library.why = file.why();
  if (!file.is_open()) library.why += "; install it with the CUDA toolkit";
  if (!library.why.empty()) return library;
  int major = 0, minor = 0;
  (void)library.version(&major, &minor);
  // Another version's mathematical functions may round another way than those of the eager kernels.
  if (major * 1000 + minor * 10 != CUDART_VERSION)
    library.why = "NVRTC is " + std::to_string(major) + "." + std::to_string(minor) +
                  ", and this build's kernels are of CUDA " + version_text(CUDART_VERSION) +
                  ": results could differ";
  return library;
}

const Library& opened_library() {
  static const Library library = open();
  return library;
}

}  // namespace

bool is_intermediate(std::string_view architecture) {
  return architecture.starts_with("compute_");
}

bool can_wait_for_kernels_ahead(std::string_view architecture) {
  return std::stoi(std::string(architecture.substr(architecture.find('_') + 1))) >= 90;
}

bool is_code(std::string_view kept, std::string_view architecture) {
  return is_intermediate(architecture) ? kept.find(".version ") != std::string_view::npos
                                       : kept.starts_with("\177ELF");
}

CodeTargets nvrtc_targets() {
  const Library& library = opened_library();
  if (!library.why.empty()) return {{}, library.why};
  int count = 0;
  if (library.architecture_count(&count) != 0) return {{}, "NVRTC does not say what it makes code for"};
  std::vector<int> numbers(static_cast<std::size_t>(count));
  if (library.architectures(numbers.data()) != 0) return {{}, "NVRTC does not say what it makes code for"};
  CodeTargets targets;
  for (const int number : numbers) targets.architectures.push_back("sm_" + std::to_string(number));
  return targets;
}

std::string nvrtc_version() {
  return "NVRTC " + version_text(CUDART_VERSION);
}

std::string nvrtc_options() {
  std::string text;
  for (const char* option : options) text.append(text.empty() ? "" : " ").append(option);
  return text;
}

Compiled compile(const std::string& source, const std::string& architecture) {
  const Library& library = opened_library();
  if (!library.why.empty()) return {{}, library.why};
  const auto expect = [&](int status, const char* what) {
    if (status != 0)
      throw Error(ErrorCode::internal, std::string(what) + " a generated kernel for " + architecture +
                                           ": NVRTC status " + std::to_string(status));
  };
  Program program = nullptr;
  expect(library.create(&program, source.c_str(), "chain.cu", 0, nullptr, nullptr), "prepare");
  const struct Destroyed {
    ~Destroyed() { (void)library.destroy(&program); }
    const Library& library;
    Program& program;
  } destroyed{library, program};
  const std::string architecture_option = "--gpu-architecture=" + architecture;
  std::vector<const char*> texts = {architecture_option.c_str()};
  texts.insert(texts.end(), options.begin(), options.end());
  std::size_t bytes = 0;
  if (library.compile(program, static_cast<int>(texts.size()), texts.data()) != 0) {
    expect(library.log_size(program, &bytes), "compile");
    std::string log(bytes, '\0');
    expect(library.log(program, log.data()), "compile");
    throw Error(ErrorCode::internal, "compile a generated kernel for " + architecture + ": " + log.c_str());
  }
  const bool ptx = is_intermediate(architecture);
  expect((ptx ? library.ptx_size : library.cubin_size)(program, &bytes), "compile");
  Compiled compiled{std::string(bytes, '\0'), {}};
  expect((ptx ? library.ptx : library.cubin)(program, compiled.code.data()), "compile");
  if (ptx) compiled.code.resize(compiled.code.find_last_not_of('\0') + 1);  // it ends in one
  return compiled;
}

}  // namespace graphbench::cuda
