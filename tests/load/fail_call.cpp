// A library for LD_PRELOAD that makes one call per process fail. FAIL_CALL: "malloc" (any allocation) or
// "pthread_create". FAIL_AT: the number of the failing call. FAIL_OF: "itself", graphbench's process, or
// "children", the processes that it starts from its own program. FAIL_LOG: a file to which the failing call
// adds INJECTED and its caller's library; if FAIL_AT is 0, each process adds its number of calls instead.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

std::atomic<long> calls{0};
std::atomic<long> fail_at{-1};  // -1: not set up yet, or FAIL_OF excludes this process
char failed_call[16];

void tell(const char* text) {
  const int log = open(std::getenv("FAIL_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (log < 0 || write(log, text, std::strlen(text)) < 0) std::abort();
  close(log);
}

// True if the first argument of the command line is `program`, in any folder.
bool is_of(const char* program) {
  char line[4096] = {};
  const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  const ssize_t got = read(file, line, sizeof line - 1);
  close(file);
  const std::string_view name(line);
  return got > 0 && name.substr(name.rfind('/') + 1) == program;
}

[[gnu::constructor]] void set_up() {
  if (!is_of(std::strcmp(std::getenv("FAIL_OF"), "children") == 0 ? "exe" : "graphbench")) return;
  std::snprintf(failed_call, sizeof failed_call, "%s", std::getenv("FAIL_CALL"));
  fail_at = std::atol(std::getenv("FAIL_AT"));
}

[[gnu::destructor]] void count() {
  if (fail_at != 0) return;
  char text[32];
  std::snprintf(text, sizeof text, "%ld\n", calls.load());
  tell(text);
}

bool fails(const char* call, const void* caller) {
  if (fail_at < 0 || std::strcmp(call, failed_call) != 0 || ++calls != fail_at) return false;
  Dl_info library{};
  dladdr(caller, &library);
  char text[256];
  std::snprintf(text, sizeof text, "INJECTED %s\n",
                library.dli_fname != nullptr ? library.dli_fname : "unknown");
  tell(text);
  return true;
}

bool allocation_fails(const void* caller) {
  if (!fails("malloc", caller)) return false;
  errno = ENOMEM;
  return true;
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) {
  return allocation_fails(__builtin_return_address(0)) ? nullptr : __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) {
  return allocation_fails(__builtin_return_address(0)) ? nullptr : __libc_calloc(count, size);
}

void* realloc(void* block, std::size_t size) {
  return allocation_fails(__builtin_return_address(0)) ? nullptr : __libc_realloc(block, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return allocation_fails(__builtin_return_address(0)) ? nullptr : __libc_memalign(alignment, size);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*work)(void*),
                   void* argument) {
  static const auto real = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  return fails("pthread_create", __builtin_return_address(0)) ? EAGAIN
                                                              : real(thread, attributes, work, argument);
}

}  // extern "C"
