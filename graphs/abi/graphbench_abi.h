/* The stable C ABI between graphbench and workload plugins.
 *
 * A plugin is a shared library that exports one function, graphbench_plugin_open. It offers workloads
 * (each builds a program through the functions graphbench hands it) and, where it wants, kinds of op
 * with launch functions of its own. The built-in workloads are written against this header too.
 *
 * Rules. No C++ exception, STL type or RTTI crosses this boundary. Every struct that may grow starts
 * with its own size; fields are only ever appended within one ABI version. Reserved fields are zero, and so
 * is every field that the other side may not know: a record that uses one is refused. Strings are UTF-8 and
 * NUL-terminated; the side that passes a pointer owns it, and it stays valid for the call, except where a
 * comment says longer. A function that returns int returns 0 for success. */
#ifndef GRAPHBENCH_ABI_H
#define GRAPHBENCH_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GB_ABI_VERSION 2u

#if defined(__GNUC__)
#define GB_EXPORT __attribute__((visibility("default")))
#else
#define GB_EXPORT
#endif

typedef enum gb_dtype { GB_FP32 = 0, GB_FP16 = 1, GB_BF16 = 2, GB_I32 = 3 } gb_dtype;

/* A workload declares the first three; ops compute activations, of which outputs and gradients can be read
 * after a step; a parameter is a weight under training. */
typedef enum gb_value_kind {
  GB_INPUT = 0,
  GB_WEIGHT = 1,
  GB_STATE = 2,
  GB_ACTIVATION = 3,
  GB_OUTPUT = 4,
  GB_PARAMETER = 5,
  GB_GRADIENT = 6
} gb_value_kind;

/* An extent: per_batch * batch + fixed. */
typedef struct gb_dim {
  int64_t per_batch;
  int64_t fixed;
} gb_dim;

/* How a value is filled before a run: uniform in [low, high), or the constant `low`. */
typedef enum gb_init_kind { GB_UNIFORM = 0, GB_CONSTANT = 1 } gb_init_kind;
typedef struct gb_init {
  int32_t kind;     /* gb_init_kind */
  int32_t reserved; /* 0 */
  double low;
  double high;
} gb_init;

typedef enum gb_attr_type { GB_ATTR_INT = 0, GB_ATTR_REAL = 1, GB_ATTR_TEXT = 2 } gb_attr_type;
typedef struct gb_attr {
  const char* name;
  int32_t type;     /* gb_attr_type */
  int32_t reserved; /* 0 */
  int64_t integer;
  double real;
  const char* text;
} gb_attr;

/* A contiguous row-major tensor at one batch. `dims` is owned by graphbench. */
typedef struct gb_tensor {
  int32_t dtype; /* gb_dtype */
  int32_t rank;
  const int64_t* dims;
} gb_tensor;

/* A value's type before the batch is known. */
typedef struct gb_symbolic {
  int32_t dtype; /* gb_dtype */
  int32_t rank;
  const gb_dim* dims;
} gb_symbolic;

/* Which of an op's functions is called, and in which memory its operands and its workspace lie. */
typedef enum gb_place { GB_ON_HOST = 0, GB_ON_CUDA = 1 } gb_place;

/* One op at one batch, as its functions see it. Operands are inputs, then outputs. graphbench owns the
 * record, which stays valid at a fixed address until the process ends its sweep; the workspace is valid
 * until release(). Data that a plugin kept on a CUDA device under earlier addresses may be gone, because
 * the context is reset during a sweep. */
typedef struct gb_op_call {
  uint32_t struct_size;
  int32_t input_count;
  int32_t output_count;
  int32_t attr_count;
  const char* name;
  int64_t batch;
  const gb_tensor* operands;
  const gb_attr* attrs;
  int32_t place; /* gb_place: GB_ON_HOST for run_host, GB_ON_CUDA for launch_cuda */
  int32_t reserved;
  void* prepared; /* the pointer that prepare() stored; null before, or if prepare is null */
  /* Scratch memory of gb_op.workspace_bytes, 512-byte aligned; null if that is 0. Other ops use the same
   * memory, so its contents are undefined when a launch begins. */
  void* workspace;
  uint64_t workspace_bytes;
} gb_op_call;

/* ---- building a program -------------------------------------------------------------------- */

typedef struct gb_builder gb_builder; /* graphbench's, opaque */

/* The place at which a hook takes a parameter's gradient: the gradient of one micro-batch, before it is
 * added to earlier ones; or the sum of all, before the optimizer. */
typedef enum gb_hook_place { GB_HOOK_PRE = 0, GB_HOOK_POST_ACCUMULATE = 1 } gb_hook_place;

/* Functions a workload builds with. An id is a non-negative int32; a negative return means that the
 * call was refused: return non-zero from build() at once, graphbench has kept the message. */
typedef struct gb_builder_api {
  uint32_t struct_size;
  uint32_t reserved;
  int32_t (*value)(gb_builder*, gb_value_kind kind, const char* name, gb_dtype dtype, const gb_dim* dims,
                   int32_t rank, gb_init init);
  /* Writes the ids of the op's outputs to `outputs` (room for `output_capacity`); returns how many. */
  int32_t (*op)(gb_builder*, const char* kind, const char* name, const int32_t* inputs, int32_t input_count,
                const gb_attr* attrs, int32_t attr_count, int32_t* outputs, int32_t output_capacity);
  int32_t (*mark_output)(gb_builder*, int32_t value);
  /* Sets where piecewise mode splits by default: op kinds, and patterns of op names. A text with a '.' or
   * a '*' is a pattern; '*' stands for any text: "*.conv2". Each must be found in the program. */
  int32_t (*split_at)(gb_builder*, const char* const* splits, int32_t split_count);
  /* Records why build() is about to return non-zero. The text is copied. */
  void (*fail)(gb_builder*, const char* message);
  /* Says what an input's padding rows hold, where a batch is padded up to a larger one that is captured:
   * `pad` in every element, 0 for an input without this call. Returns 0, or negative where it was refused. */
  int32_t (*pad_with)(gb_builder*, int32_t value, double pad);
  /* In a training step the weight's gradient goes through an op of `kind`: it takes the gradient alone, and
   * its one output is the gradient from there on. Hooks of one weight and place run in the order of these
   * calls. `place` is a gb_hook_place. A forward program leaves them out. Returns 0, or negative where it was
   * refused. */
  int32_t (*hook)(gb_builder*, int32_t weight, int32_t place, const char* kind, const char* name,
                  const gb_attr* attrs, int32_t attr_count);
} gb_builder_api;

/* One `--set WORKLOAD.KEY=VALUE` choice. The value of every declared option is passed to build(). */
typedef struct gb_option_value {
  const char* key;
  int64_t value;
} gb_option_value;

typedef struct gb_build_request {
  uint32_t struct_size;
  int32_t dtype;    /* gb_dtype */
  const char* pass; /* "forward"; "training": the forward part of a step, from which gradients are made */
  const gb_option_value* options;
  int32_t option_count;
  int32_t reserved;
} gb_build_request;

/* A size that presets give a value and users override: a positive integer within [min, max]. */
typedef struct gb_option {
  const char* key;
  const char* help;
  int64_t min;
  int64_t max;
} gb_option;

/* A named set of values, one for each of the workload's options, in their order. */
typedef struct gb_preset {
  const char* name;
  const int64_t* values;
} gb_preset;

typedef struct gb_workload {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */
  const char* name;  /* lower-case letters, digits, '_', '-' */
  const char* help;  /* one line */
  const gb_option* options;
  int32_t option_count;
  int32_t preset_count;
  const gb_preset* presets; /* should hold "base" (the default on cuda) and "tiny" (on host) */
  /* Builds the program. Returns 0, or non-zero after builder->fail or a refused call. */
  int (*build)(const gb_build_request* request, gb_builder* builder, const gb_builder_api* api, void* user);
  void* user;
} gb_workload;

/* ---- a plugin's own ops -------------------------------------------------------------------- */

#define GB_MAX_OUTPUTS 8
#define GB_MAX_RANK 8

/* Filled by gb_op.infer. */
typedef struct gb_inferred {
  int32_t dtype; /* gb_dtype */
  int32_t rank;
  gb_dim dims[GB_MAX_RANK];
} gb_inferred;

enum gb_op_flags {
  /* Runs on the host in the middle of the step, on every device: run_host is called with the operands in host
   * memory, on CUDA with copies of them; launch_cuda is not used. Graph modes skip or split. */
  GB_OP_HOST = 1u,
  GB_OP_NOT_CAPTURABLE = 2u, /* cannot be captured */
};

typedef struct gb_op {
  uint32_t struct_size;
  uint32_t flags;   /* gb_op_flags */
  const char* kind; /* must not be a built-in kind */
  /* Bit i set: the op writes input i. */
  uint64_t mutated_inputs;
  /* Describes the outputs from the inputs; returns their number (0..GB_MAX_OUTPUTS), or negative
   * after writing a reason (at most error_size bytes with the NUL) to `error`. */
  int32_t (*infer)(const gb_symbolic* inputs, int32_t input_count, const gb_attr* attrs, int32_t attr_count,
                   gb_inferred* outputs, char* error, size_t error_size, void* user);
  /* Enqueues the op on `cuda_stream` (a cudaStream_t) and returns without waiting: 0, or a
   * cudaError_t. `operands` are device pointers, inputs then outputs; the array is valid for the call
   * only. May be called on a capturing stream, and must then record something, unless the op writes nothing.
   * Null: the op does not run on CUDA. */
  int (*launch_cuda)(const gb_op_call* call, void* const* operands, void* cuda_stream, void* user);
  /* Runs the op to its end on the calling thread: the host device's stream thread, or on CUDA the thread that
   * submits. Returns 0, or any other number for failure. Null: the op does not run on the host device. */
  int (*run_host)(const gb_op_call* call, void* const* operands, void* user);
  void* user;
  /* Any of the following may be null. All three are called on the thread that submits, never while it
   * captures, with the CUDA device current where `call->place` says so, and may wait for it.
   *
   * Called once for a call, ahead of warmups and of its first launch: load code, choose algorithms, make
   * handles. What it writes to `prepared` is `call->prepared` from then on. Returns 0, or another number
   * after writing a reason (at most error_size bytes with the NUL) to `error`. */
  int (*prepare)(const gb_op_call* call, void** prepared, char* error, size_t error_size, void* user);
  /* Called after prepare: the bytes of scratch memory that a launch needs; negative for failure. */
  int64_t (*workspace_bytes)(const gb_op_call* call, void* user);
  /* Called once for a prepared call, after its last launch. Work that was enqueued may still run. */
  void (*release)(const gb_op_call* call, void* user);
  /* The kind of the op that computes this op's gradient in a training step, another one of this plugin;
   * null: there is none. It takes this op's inputs, its outputs, then the gradient of each output that
   * does not hold integers. It gets this op's attributes, and writes none of its inputs. Its outputs are
   * the gradients of the inputs whose bit is set in `gradient_inputs`, in their order, each with its
   * input's dtype and shape. It has flags of its own: if it cannot be captured, graphs end before it. */
  const char* gradient;
  uint64_t gradient_inputs; /* 0 where there is no gradient */
} gb_op;

/* ---- a plugin's own rewriting passes --------------------------------------------------------- */

/* A program as a pass finds it. Ids of values and ops are indices. All of it is graphbench's, for the call.
 */
typedef struct gb_program_value {
  const char* name;
  int32_t kind;  /* gb_value_kind */
  int32_t dtype; /* gb_dtype */
  const gb_dim* dims;
  int32_t rank;
  int32_t reserved;
} gb_program_value;

typedef struct gb_program_op {
  const char* kind;
  const char* name;
  const char* phase; /* "forward", "backward", "accumulate", "optimizer" */
  const int32_t* inputs;
  const int32_t* outputs;
  const gb_attr* attrs;
  int32_t input_count;
  int32_t output_count;
  int32_t attr_count;
  int32_t reserved;
} gb_program_op;

typedef struct gb_program {
  uint32_t struct_size;
  int32_t value_count;
  const gb_program_value* values;
  const gb_program_op* ops; /* in the order of execution */
  int32_t op_count;
  int32_t reserved;
} gb_program;

typedef struct gb_rewriter gb_rewriter; /* graphbench's, opaque */

/* Makes the new program, op by op. A negative return means the same as in gb_builder_api. */
typedef struct gb_rewriter_api {
  uint32_t struct_size;
  uint32_t reserved;
  /* Appends op `op` of the program. An op that is never kept is removed. */
  int32_t (*keep)(gb_rewriter*, int32_t op);
  /* Appends an op as gb_builder_api.op does. It belongs to the phase and the graph of the program's op
   * `beside`. */
  int32_t (*op)(gb_rewriter*, int32_t beside, const char* kind, const char* name, const int32_t* inputs,
                int32_t input_count, const gb_attr* attrs, int32_t attr_count, int32_t* outputs,
                int32_t output_capacity);
  /* Ops appended from here on read `by` instead of `value`, which an op computes; both have one dtype and
   * shape. If `value` is an output or a gradient, `by` takes its place. */
  int32_t (*replace)(gb_rewriter*, int32_t value, int32_t by);
  /* A line for --dump-program and the document; 64 at most. */
  int32_t (*log)(gb_rewriter*, const char* line);
  /* Records why rewrite() is about to return non-zero. */
  void (*fail)(gb_rewriter*, const char* message);
} gb_rewriter_api;

typedef struct gb_program_pass {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */
  const char* name;  /* name for --program-pass, with the rules of a workload's name */
  const char* help;  /* one line */
  /* Returns 0, or non-zero after api->fail or a refused call. Called once for each program of a process. */
  int (*rewrite)(const gb_program* program, gb_rewriter* rewriter, const gb_rewriter_api* api, void* user);
  void* user;
} gb_program_pass;

/* ---- a step that something else runs --------------------------------------------------------- */

/* The arguments of opening a step. graphbench owns them; they are valid for the call. */
typedef struct gb_step_request {
  uint32_t struct_size;
  int32_t place; /* gb_place: where its outputs lie */
  int64_t batch;
  const char* mode;        /* "eager", or one of gb_step.modes */
  void* cuda_stream;       /* takes all of its work (a cudaStream_t); null on the host device */
  const char* device_uuid; /* "GPU-..."; empty on the host device */
  /* --split-ops: names at which `piecewise` ends a piece. If there are none, the step chooses. */
  const char* const* split_ops;
  int32_t split_op_count;
  int32_t axis_count;
  /* The cell's later axes away from their defaults, a name and a value each. */
  const char* const* axis_names;
  const char* const* axis_values;
} gb_step_request;

/* A tensor that a step wrote: dense, row-major, in the memory that the request's place names. The step
 * owns it until its next call. `dtype` is a gb_dtype; GB_OTHER is compared bit by bit alone. */
#define GB_OTHER (-1)
typedef struct gb_step_output {
  const char* name;
  const void* data;
  int64_t bytes;
  int32_t dtype;
  int32_t reserved; /* 0 */
} gb_step_output;

/* A step that a library or framework runs as it does for its users. graphbench builds no program of it: it
 * times run() and the graphs of capture(). A function that returns int returns 0, or another number after
 * writing a reason (at most error_size bytes with the NUL) to `error`: GB_STEP_SKIP if this mode cannot
 * hold the step, which is not a failure. All are called on one thread, except run() on the host device,
 * which is called on the stream's thread. After a skip or a failure, only close() is called. */
#define GB_STEP_SKIP 2
/* How a part of a step comes to the device. */
enum gb_step_part {
  GB_PART_RUN = 0,      /* run(part) enqueues it without a graph */
  GB_PART_CAPTURED = 1, /* graphbench launches the graph that capture(part) lends */
  GB_PART_LAUNCHED = 2  /* run(part) launches the graph that capture(part) made, as random numbers need it */
};

typedef struct gb_step {
  uint32_t struct_size;
  int32_t mode_count;
  const char* name; /* of the workload: lower-case letters, digits, '_', '-' */
  const char* help; /* one line */
  /* Modes besides "eager", which every step has: "whole", "piecewise", and modes of its own,
   * "LIBRARY.NAME". */
  const char* const* modes;
  /* Makes the step ready at one batch size in one mode: the work that its user does once, before the first
   * step. Called for all batches of a worker, the largest first, before its thread is bound to a CPU. The
   * functions below receive the pointer that it writes to `step`. */
  int (*open)(const gb_step_request* request, void** step, char* error, size_t error_size, void* user);
  /* The parts that a step of this mode runs one after the other: how many, and a gb_step_part for the first
   * `capacity` of them. `whole` has one part, captured or launched; only `whole` and `piecewise` have parts
   * that are GB_PART_CAPTURED. Negative: failure. */
  int32_t (*parts)(void* step, uint8_t* captured, int32_t capacity, char* error, size_t error_size);
  /* Enqueues a part without a graph, with what it hands to the next one; part -1: the whole step, eagerly. On
   * the host device it runs the part to its end. */
  int (*run)(void* step, int32_t part, char* error, size_t error_size);
  /* Captures a part, and lends its graph (a cudaGraph_t) until close(). If this function is null, or lends
   * a null graph, graphbench captures run(part) on the stream. It also instantiates the graph of a
   * GB_PART_LAUNCHED, and lends it for its counts alone. */
  int (*capture)(void* step, int32_t part, void** graph, char* error, size_t error_size);
  /* Fills inputs with data of the seed, and puts weights, state and generators back to where open() left
   * them: steps after equal calls write equal outputs. */
  int (*fill)(void* step, uint64_t seed, char* error, size_t error_size);
  /* The outputs that the last step wrote, whether it ran whole or in parts; returns how many, or a
   * negative number for failure. The work of that step is done. */
  int32_t (*outputs)(void* step, const gb_step_output** outputs, char* error, size_t error_size);
  /* The library's counts as a JSON object, valid until the next call; null: it has none. This function may
   * be null. */
  const char* (*report)(void* step);
  void (*close)(void* step);
  void* user;
} gb_step;

/* ---- the plugin itself --------------------------------------------------------------------- */

typedef struct gb_plugin {
  uint32_t struct_size; /* sizeof(gb_plugin) the plugin was compiled with */
  uint32_t abi_version; /* GB_ABI_VERSION the plugin was compiled with */
  const char* name;
  const char* version;
  const gb_workload* const* workloads;
  const gb_op* const* ops;
  int32_t workload_count;
  int32_t op_count;
  const gb_program_pass* const* passes; /* may be null */
  int32_t pass_count;
  int32_t step_count;
  const gb_step* const* steps; /* may be null */
} gb_plugin;

/* The one exported function. Called once, before anything else. `host_abi_version` is graphbench's. On
 * success writes a plugin record that stays valid until the process ends and returns 0; otherwise writes a
 * reason to `error`. graphbench refuses a record of another abi_version, naming both. */
typedef int (*gb_plugin_open_fn)(uint32_t host_abi_version, const gb_plugin** plugin, char* error,
                                 size_t error_size);
#define GB_PLUGIN_OPEN_SYMBOL "graphbench_plugin_open"

#ifdef __cplusplus
}
#endif

#endif /* GRAPHBENCH_ABI_H */
