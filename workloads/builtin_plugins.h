/* The entry points of the built-in workloads. Each returns a plugin record, as graphbench_plugin_open of a
 * shared library does. */
#ifndef GRAPHBENCH_BUILTIN_PLUGINS_H
#define GRAPHBENCH_BUILTIN_PLUGINS_H

#include "graphs/abi/graphbench_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

const gb_plugin* gb_builtin_mlp(void);
const gb_plugin* gb_builtin_attention(void);
const gb_plugin* gb_builtin_conv(void);

#ifdef __cplusplus
}
#endif

#endif /* GRAPHBENCH_BUILTIN_PLUGINS_H */
