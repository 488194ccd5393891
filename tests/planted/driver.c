/* Plays libcuda.so.1 in front of the real one, and plants a slow or hanging cuGraphLaunch. CUDA's runtime is
   linked statically and asks cuGetProcAddress for all other functions of the driver, so what that returns is
   wrapped. Names that this library lacks are found in libcuda_real.so.1, which it needs: a link to the real
   library, beside it. In the environment:
     PLANTED_FACTOR=1.25   each launch takes this many times as long
     PLANTED_US=2          each launch takes this many microseconds more
     PLANTED_HANG=100      launch number 100 of a process does not return */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef int (*Launch)(void* exec, void* stream);
typedef int (*Lookup)(const char* name, void** function, int version, unsigned long long flags, int* found);

static Launch real_launch;
static Lookup real_lookup;
static double factor = 1, more_ns;
static long hang, launches;

static double now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static int planted_launch(void* exec, void* stream) {
  const double begun = now_ns();
  const int status = real_launch(exec, stream);
  if (++launches == hang)
    for (;;) pause();
  const double until = begun + factor * (now_ns() - begun) + more_ns;
  while (now_ns() < until) {
  }
  return status;
}

int cuGetProcAddress_v2(const char* name, void** function, int version, unsigned long long flags,
                        int* found) {
  const int status = real_lookup(name, function, version, flags, found);
  if (status != 0 || *function == NULL) return status;
  if (strcmp(name, "cuGraphLaunch") == 0) {
    real_launch = (Launch)*function;
    *function = (void*)planted_launch;
  } else if (strcmp(name, "cuGetProcAddress") == 0 && version >= 12000) {
    *function = (void*)cuGetProcAddress_v2;
  }
  return status;
}

__attribute__((constructor)) static void begin(void) {
  void* real = dlopen("libcuda_real.so.1", RTLD_NOW);
  if (real != NULL) real_lookup = (Lookup)dlsym(real, "cuGetProcAddress_v2");
  if (real_lookup == NULL) _exit(99); /* nothing would be planted */
  const char* value = getenv("PLANTED_FACTOR");
  if (value != NULL) factor = atof(value);
  value = getenv("PLANTED_US");
  if (value != NULL) more_ns = 1e3 * atof(value);
  value = getenv("PLANTED_HANG");
  if (value != NULL) hang = atol(value);
}
