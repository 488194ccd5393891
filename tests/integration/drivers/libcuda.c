/* Plays libcuda.so.1, the library of NVIDIA's driver: says which CUDA it runs and what initialising it
   returns. It lists SHIM_DEVICES devices and can do nothing with them. With SHIM_HANG
   initialising it does not return. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int number(const char* variable, int otherwise) {
  const char* value = getenv(variable);
  return value != NULL ? atoi(value) : otherwise;
}

int cuDriverGetVersion(int* version) {
  *version = number("SHIM_VERSION", 13000);
  return number("SHIM_VERSION_CODE", 0);
}

int cuInit(unsigned flags) {
  (void)flags;
  while (number("SHIM_HANG", 0)) pause();
  const char* visible = getenv("CUDA_VISIBLE_DEVICES");
  return visible != NULL && *visible == '\0' ? 100 : number("SHIM_INIT", 0);
}

int cuDeviceGetCount(int* count) {
  *count = number("SHIM_DEVICES", 1);
  return 0;
}

static int unknown_error(void) {
  return 999;
}

int cuGetProcAddress_v2(const char* name, void** function, int version, unsigned long long flags,
                        int* found) {
  (void)version;
  (void)flags;
  const struct {
    const char* name;
    void* function;
  } known[] = {{"cuInit", (void*)cuInit},
               {"cuDriverGetVersion", (void*)cuDriverGetVersion},
               {"cuDeviceGetCount", (void*)cuDeviceGetCount},
               {"cuGetProcAddress", (void*)cuGetProcAddress_v2}};
  *function = (void*)unknown_error;
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
    if (strcmp(name, known[i].name) == 0) *function = known[i].function;
  if (found != NULL) *found = 0;
  return 0;
}
