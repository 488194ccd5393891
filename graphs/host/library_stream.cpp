// Sets up oneDNN. Uses oneDNN's C API for handles, so that our headers need not include oneDNN's headers.
#include "graphs/host/library_stream.hpp"

#include <omp.h>
#include <oneapi/dnnl/dnnl.h>

#include <string>

#include "graphs/base/error.hpp"

namespace graphbench::host {
namespace {

dnnl_engine* make_engine() {
  dnnl_engine_t engine = nullptr;
  check_library(dnnl_engine_create(&engine, dnnl_cpu, 0), "create oneDNN CPU engine");
  return engine;
}

}  // namespace

void check_library(int status, const char* operation) {
  if (status == dnnl_success) return;
  throw Error(ErrorCode::library_failed,
              std::string(operation) + ": oneDNN status " + std::to_string(status));
}

dnnl_engine* library_engine() {
  // The engine is never destroyed, because primitives in static objects may outlive it.
  static dnnl_engine* const engine = make_engine();
  return engine;
}

const char* library_version() {
  static const std::string text = [] {
    const dnnl_version_t* version = dnnl_version();
    return std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
           std::to_string(version->patch);
  }();
  return text.c_str();
}

bool library_multiplies_bf16() {
  // Tests bits, because the code of an instruction set contains the bits of all sets that it includes.
  return (dnnl_get_effective_cpu_isa() & dnnl_cpu_isa_avx512_core_bf16) == dnnl_cpu_isa_avx512_core_bf16;
}

LibraryStream::LibraryStream(int threads) {
  omp_set_dynamic(0);
  omp_set_num_threads(threads);
  dnnl_stream_t stream = nullptr;
  check_library(dnnl_stream_create(&stream, library_engine(), dnnl_stream_in_order), "create oneDNN stream");
  stream_ = stream;
}

LibraryStream::~LibraryStream() {
  dnnl_stream_destroy(stream_);
}

PlanningThreads::PlanningThreads(int threads) : previous_(omp_get_max_threads()) {
  omp_set_num_threads(threads);
}

PlanningThreads::~PlanningThreads() {
  omp_set_num_threads(previous_);
}

}  // namespace graphbench::host
