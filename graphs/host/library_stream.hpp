// oneDNN's engine and streams, and the number of OpenMP threads for planning and for running primitives.
#pragma once

struct dnnl_engine;
struct dnnl_stream;

namespace graphbench::host {

// `status` is a dnnl_status_t. Throws Error(library_failed).
void check_library(int status, const char* operation);

dnnl_engine* library_engine();

const char* library_version();  // "2.6.3"

// True if oneDNN multiplies bf16 with fp32 accumulation by CPU instructions (avx512_bf16). The environment
// variable ONEDNN_MAX_CPU_ISA can disable these instructions.
bool library_multiplies_bf16();

// A oneDNN stream for the calling thread. The constructor also makes this thread's later parallel regions
// use `threads` OpenMP threads.
class LibraryStream {
 public:
  explicit LibraryStream(int threads);
  ~LibraryStream();
  LibraryStream(const LibraryStream&) = delete;
  LibraryStream& operator=(const LibraryStream&) = delete;
  dnnl_stream* get() const noexcept { return stream_; }

 private:
  dnnl_stream* stream_ = nullptr;
};

// While this object lives, oneDNN plans the calling thread's primitives for `threads` threads.
class PlanningThreads {
 public:
  explicit PlanningThreads(int threads);
  ~PlanningThreads();
  PlanningThreads(const PlanningThreads&) = delete;
  PlanningThreads& operator=(const PlanningThreads&) = delete;

 private:
  int previous_;
};

}  // namespace graphbench::host
