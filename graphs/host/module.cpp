// The module of the host backend. It is opened on demand, so that a process which uses a GPU, such as a
// user's with PyTorch, does not load oneDNN.
#include "graphs/device/module_export.hpp"
#include "graphs/host/host_device.hpp"

GRAPHBENCH_EXPORT_BACKEND(graphbench::host::make_host_backend().release())
