// oneDNN's engine and streams, and the number of OpenMP threads it plans for and runs with.
#pragma once

struct dnnl_engine;
struct dnnl_stream;

namespace graphbench::host {

// The process's only oneDNN CPU engine.
dnnl_engine* library_engine();

// "2.6.3"
const char* library_version();

// Whether oneDNN uses the CPU's instructions for bf16 products accumulated in fp32 (avx512_bf16). Its
// variable ONEDNN_MAX_CPU_ISA can forbid them.
bool library_multiplies_bf16();

// A oneDNN stream for the thread it is made on, which from then on runs its parallel regions with
// `threads` threads.
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

// Sets the number of threads that the primitives planned while it lives will run with. The thread's own
// setting comes back afterwards.
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
