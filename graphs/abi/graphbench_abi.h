/* The stable C ABI between graphbench and workload plugins.
 *
 * A plugin is a shared library that exports one function, graphbench_plugin_open. It offers workloads (each
 * builds a program through graphbench's functions) and optionally kinds of op with their own launch
 * functions. The built-in workloads use this header too.
 *
 * Rules. No C++ exception, STL type or RTTI crosses this boundary. Every struct that may grow starts with
 * its own size; within one ABI version, fields are only appended. Reserved fields are zero. graphbench
 * refuses a plugin's record with a field that graphbench does not know, unless this field is zero. Strings
 * are UTF-8 and NUL-terminated. The side that passes a pointer owns the memory and keeps it valid during the
 * call, or longer where a comment says so. A function that returns int returns 0 for success. */
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

/* A workload declares inputs, weights and state; ops compute activations. Outputs and gradients are
 * activations that can be read after a step. A parameter is a weight under training. */
typedef enum gb_value_kind {
  GB_INPUT = 0,
  GB_WEIGHT = 1,
  GB_STATE = 2,
  GB_ACTIVATION = 3,
  GB_OUTPUT = 4,
  GB_PARAMETER = 5,
  GB_GRADIENT = 6
} gb_value_kind;

/* A tensor dimension: per_batch * batch + fixed. */
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

/* A contiguous row-major tensor at one batch size. graphbench owns `dims`. */
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

/* Selects the op's function, and the memory (host or device) of the op's operands and workspace. */
typedef enum gb_place { GB_ON_HOST = 0, GB_ON_CUDA = 1 } gb_place;

/* One op at one batch size: the argument of the op's functions. Operands are inputs, then outputs.
 * graphbench owns the record, which stays valid at a fixed address until the sweep ends in this process. The
 * workspace is valid until release(). During a sweep graphbench resets the CUDA context, which frees all
 * device memory that a plugin has allocated. */
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
  /* Scratch memory of `workspace_bytes` bytes, 512-byte aligned; null if there are none. Other ops use the
   * same memory, so its contents are undefined when a launch begins. */
  void* workspace;
  uint64_t workspace_bytes;
} gb_op_call;

/* ---- building a program -------------------------------------------------------------------- */

typedef struct gb_builder gb_builder; /* opaque; graphbench owns it */

/* Which gradient of a parameter a hook receives: the gradient of one micro-batch, before accumulation; or the
 * accumulated gradient, before the optimizer. */
typedef enum gb_hook_place { GB_HOOK_PRE = 0, GB_HOOK_POST_ACCUMULATE = 1 } gb_hook_place;

/* The functions with which a workload builds a program. An id is a non-negative int32. A negative return
 * value means that graphbench refused the call and kept a message: return non-zero from build() at once. */
typedef struct gb_builder_api {
  uint32_t struct_size;
  uint32_t reserved;
  int32_t (*value)(gb_builder*, gb_value_kind kind, const char* name, gb_dtype dtype, const gb_dim* dims,
                   int32_t rank, gb_init init);
  /* Writes the ids of the op's outputs to `outputs` (at most `output_capacity`); returns their number. */
  int32_t (*op)(gb_builder*, const char* kind, const char* name, const int32_t* inputs, int32_t input_count,
                const gb_attr* attrs, int32_t attr_count, int32_t* outputs, int32_t output_capacity);
  int32_t (*mark_output)(gb_builder*, int32_t value);
  /* Sets where piecewise mode splits by default: op kinds, and patterns of op names. A text with a '.' or a
   * '*' is a pattern; '*' matches any text: "*.conv2". Each must match an op of the program. */
  int32_t (*split_at)(gb_builder*, const char* const* splits, int32_t split_count);
  /* Records why build() is about to return non-zero. The text is copied. */
  void (*fail)(gb_builder*, const char* message);
  /* Sets every element of an input's padding rows to `pad`; without this call, to 0. A batch gets padding
   * rows if it is padded to a larger captured batch. Returns 0, or a negative number if refused. */
  int32_t (*pad_with)(gb_builder*, int32_t value, double pad);
  /* In a training step, passes the weight's gradient through an op of `kind`. The gradient is the op's only
   * input; its one output replaces the gradient. Hooks of one weight and place run in the order of these
   * calls. `place` is a gb_hook_place. A forward program omits hooks. Returns 0, or a negative number if
   * refused. */
  int32_t (*hook)(gb_builder*, int32_t weight, int32_t place, const char* kind, const char* name,
                  const gb_attr* attrs, int32_t attr_count);
} gb_builder_api;

/* One `--set WORKLOAD.KEY=VALUE` choice. build() receives the value of every declared option. */
typedef struct gb_option_value {
  const char* key;
  int64_t value;
} gb_option_value;

typedef struct gb_build_request {
  uint32_t struct_size;
  int32_t dtype;    /* gb_dtype */
  const char* pass; /* "forward" or "training". Build the forward part; graphbench adds gradients. */
  const gb_option_value* options;
  int32_t option_count;
  int32_t reserved;
} gb_build_request;

/* A positive integer in [min, max], which presets set and users override. If `help` contains a word such as
 * "joined=1", --set accepts KEY=joined for KEY=1. */
typedef struct gb_option {
  const char* key;
  const char* help;
  int64_t min;
  int64_t max;
} gb_option;

/* A named set of values: one per option of the workload, in the order of the options. */
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
  const gb_preset* presets; /* should contain "base" (the default on cuda) and "tiny" (on host) */
  /* Builds the program. Returns 0, or non-zero after api->fail or a refused call. */
  int (*build)(const gb_build_request* request, gb_builder* builder, const gb_builder_api* api, void* user);
  void* user;
} gb_workload;

/* ---- a plugin's own ops -------------------------------------------------------------------- */

#define GB_MAX_OUTPUTS 8
#define GB_MAX_RANK 8

/* The type of an output; gb_op.infer fills it. */
typedef struct gb_inferred {
  int32_t dtype; /* gb_dtype */
  int32_t rank;
  gb_dim dims[GB_MAX_RANK];
} gb_inferred;

enum gb_op_flags {
  /* Every device runs the op on the host, within the step. run_host gets operands in host memory (on CUDA,
   * copies); launch_cuda is not used. `whole` skips the program; `piecewise` splits at the op. */
  GB_OP_HOST = 1u,
  GB_OP_NOT_CAPTURABLE = 2u, /* cannot be captured */
};

typedef struct gb_op {
  uint32_t struct_size;
  uint32_t flags;   /* gb_op_flags */
  const char* kind; /* must not be a built-in kind */
  /* Bit i set: the op writes input i. */
  uint64_t mutated_inputs;
  /* Writes the types of the outputs for these inputs. Returns the number of outputs (0..GB_MAX_OUTPUTS), or a
   * negative number after writing a reason (at most error_size bytes with the NUL) to `error`. */
  int32_t (*infer)(const gb_symbolic* inputs, int32_t input_count, const gb_attr* attrs, int32_t attr_count,
                   gb_inferred* outputs, char* error, size_t error_size, void* user);
  /* Enqueues the op on `cuda_stream` (a cudaStream_t) and returns without waiting: 0, or a cudaError_t.
   * `operands` are device pointers, inputs then outputs; the array is valid for the call only. On a
   * capturing stream the function must record at least one node, unless the op writes nothing. Null: the op
   * does not run on CUDA. */
  int (*launch_cuda)(const gb_op_call* call, void* const* operands, void* cuda_stream, void* user);
  /* Runs the op to its end on the calling thread: the host device's stream thread, or on CUDA the submitting
   * thread. Returns 0, or any other number for failure. Null: the op does not run on the host device. */
  int (*run_host)(const gb_op_call* call, void* const* operands, void* user);
  void* user;
  /* prepare, workspace_bytes and release may be null. They are called on the submitting thread, never during
   * its captures, and may wait for the device. If `call->place` is GB_ON_CUDA, the CUDA device is current.
   *
   * prepare is called once per call record, before warmups and the first launch, to load code, choose
   * algorithms and create handles. The pointer that prepare writes to `prepared` becomes `call->prepared`.
   * Returns 0, or another number after writing a reason (at most error_size bytes with the NUL) to `error`.
   */
  int (*prepare)(const gb_op_call* call, void** prepared, char* error, size_t error_size, void* user);
  /* Called after prepare. Returns how many bytes of scratch memory a launch needs; negative for failure. */
  int64_t (*workspace_bytes)(const gb_op_call* call, void* user);
  /* Called once for a prepared call, after its last launch. Enqueued work may still run. */
  void (*release)(const gb_op_call* call, void* user);
  /* The kind of this op's gradient op for training steps: another op of this plugin, or null for none. The
   * gradient op's inputs are this op's inputs, this op's outputs, then the gradient of each output that is
   * not of integers. The gradient op gets this op's attributes, and must not write its inputs. It outputs
   * one gradient, of equal dtype and shape, per input whose bit is set in `gradient_inputs`, in the order of
   * the inputs. The gradient op has its own flags: if it cannot be captured, graphs end before it. */
  const char* gradient;
  uint64_t gradient_inputs; /* 0 if `gradient` is null */
} gb_op;

/* ---- a plugin's own rewriting passes --------------------------------------------------------- */

/* The program that a pass rewrites. An id of a value or an op is its index in gb_program's array. graphbench
 * owns the memory, which is valid for the call. */
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

typedef struct gb_rewriter gb_rewriter; /* opaque; graphbench owns it */

/* Builds the new program op by op. A negative return value means the same as in gb_builder_api. */
typedef struct gb_rewriter_api {
  uint32_t struct_size;
  uint32_t reserved;
  /* Appends op `op` of the old program. The new program lacks an op that is never kept. */
  int32_t (*keep)(gb_rewriter*, int32_t op);
  /* Appends a new op as gb_builder_api.op does. The new op belongs to the phase and the graph of the old
   * program's op `beside`. */
  int32_t (*op)(gb_rewriter*, int32_t beside, const char* kind, const char* name, const int32_t* inputs,
                int32_t input_count, const gb_attr* attrs, int32_t attr_count, int32_t* outputs,
                int32_t output_capacity);
  /* Makes the ops appended after this call read `by` instead of `value`. Both must be outputs of ops, and of
   * equal dtype and shape. If `value` is the program's output or a gradient, `by` takes its role. */
  int32_t (*replace)(gb_rewriter*, int32_t value, int32_t by);
  /* Adds a line to --dump-program and the result document; at most 64 lines. */
  int32_t (*log)(gb_rewriter*, const char* line);
  /* Records why rewrite() is about to return non-zero. */
  void (*fail)(gb_rewriter*, const char* message);
} gb_rewriter_api;

typedef struct gb_program_pass {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */
  const char* name;  /* a value of --program-pass; the rules for a workload's name apply */
  const char* help;  /* one line */
  /* Called once for each program of a process. Returns 0, or non-zero after api->fail or a refused call. */
  int (*rewrite)(const gb_program* program, gb_rewriter* rewriter, const gb_rewriter_api* api, void* user);
  void* user;
} gb_program_pass;

/* ---- a step that another library runs -------------------------------------------------------- */

/* The arguments of gb_step.open. graphbench owns them; they are valid for the call. */
typedef struct gb_step_request {
  uint32_t struct_size;
  int32_t place; /* gb_place: the memory of the step's outputs */
  int64_t batch;
  const char* mode;        /* "eager", or one of gb_step.modes */
  void* cuda_stream;       /* a cudaStream_t for all of the step's work; null on the host device */
  const char* device_uuid; /* "GPU-..."; empty on the host device */
  /* --split-ops: names at which `piecewise` ends a piece. If the list is empty, the step chooses. */
  const char* const* split_ops;
  int32_t split_op_count;
  int32_t axis_count;
  /* The names and values of the cell's axes that differ from their defaults. */
  const char* const* axis_names;
  const char* const* axis_values;
  int64_t launch; /* 0, 1, ...: worker processes measure a cell one after another, and this is one of them */
  int32_t serves; /* 1: `graphbench ladder` opens the step, and will call rows() and narrow() */
  int32_t reserved; /* 0 */
} gb_step_request;

/* A tensor that a step wrote: dense, row-major, in memory of the request's place. The step owns it until the
 * next call of the step. `dtype` is a gb_dtype, GB_FP64, or GB_OTHER for what is only compared bit by bit. */
enum { GB_OTHER = -1, GB_FP64 = -2 };
typedef struct gb_step_output {
  const char* name;
  const void* data;
  int64_t bytes;
  int32_t dtype;
  int32_t reserved; /* 0 */
} gb_step_output;

/* State that a step writes, and a copy of it in memory of the same place. */
typedef struct gb_step_copy {
  void* to;         /* the state; its address stays the same until close() */
  const void* from; /* what graphbench copies there */
  int64_t bytes;
  int32_t place;    /* gb_place of both */
  int32_t reserved; /* 0 */
} gb_step_copy;

/* A tensor with a dimension of the batch, in the memory of the request's place: `blocks` blocks, each with
 * one row per row of the batch. `blocks` is 1 if the batch is the outermost dimension; strides are bytes. */
typedef struct gb_step_rows {
  const char* name;
  void* data;
  int64_t row_bytes; /* 0: a GB_STATE without rows, of which only the name is read */
  int64_t row_stride;
  int64_t blocks;
  int64_t block_stride;
  int32_t kind;  /* gb_value_kind: GB_INPUT, GB_STATE (which the step writes), or GB_OUTPUT */
  int32_t dtype; /* as in gb_step_output */
} gb_step_rows;

/* What gb_step.drop gives up. */
#define GB_DROP_GRAPHS 0
#define GB_DROP_POOL 1

/* A step that a library or framework runs in its usual way. graphbench builds no program for the step, but
 * times run() and the graphs of capture(). A function that returns int returns 0, or another number after
 * writing a reason (at most error_size bytes with the NUL) to `error`. GB_STEP_SKIP means that this mode
 * cannot run the step, which is not a failure. One thread calls all functions, but on the host device, the
 * stream's thread calls run(). After a skip or a failure, only close() is called. */
#define GB_STEP_SKIP 2
/* How a part of a step reaches the device. */
enum gb_step_part {
  GB_PART_RUN = 0,      /* run(part) enqueues the part without a graph */
  GB_PART_CAPTURED = 1, /* graphbench launches the graph that capture(part) returned */
  GB_PART_LAUNCHED = 2, /* run(part) launches the graph of capture(part), and can advance random numbers */
  GB_PART_UNSEEN = 3    /* likewise, but the library cannot lend the graph: its nodes are not known */
};

typedef struct gb_step {
  uint32_t struct_size;
  int32_t mode_count;
  const char* name; /* the workload's name: lower-case letters, digits, '_', '-' */
  const char* help; /* one line */
  /* The modes besides "eager", which every step has: "whole", "piecewise", and the step's own modes, named
   * "LIBRARY.NAME". */
  const char* const* modes;
  /* Prepares the step for one batch size in one mode: does what a user does once before the first step.
   * Called for all batches of a worker, largest first, before the worker's thread is bound to a CPU. The
   * functions below receive the pointer that open() writes to `step`. */
  int (*open)(const gb_step_request* request, void** step, char* error, size_t error_size, void* user);
  /* Returns the number of parts that a step of this mode runs one after another; negative for failure.
   * Writes the gb_step_part of each of the first `capacity` parts to `captured`. `whole` has one part,
   * captured or launched. Only `whole` and `piecewise` may have GB_PART_CAPTURED parts. */
  int32_t (*parts)(void* step, uint8_t* captured, int32_t capacity, char* error, size_t error_size);
  /* Enqueues a part without a graph, and passes the part's results to the next part. Part -1 is the whole
   * eager step. On the host device, runs the part to its end. */
  int (*run)(void* step, int32_t part, char* error, size_t error_size);
  /* Captures a part. The step owns the graph (a cudaGraph_t), which stays valid until close(). If this
   * function or the graph is null, graphbench captures run(part) on the stream. For a GB_PART_LAUNCHED part,
   * the step also instantiates the graph, and graphbench only counts the graph's nodes. For GB_PART_UNSEEN,
   * this call captures and instantiates, and `graph` is not read. */
  int (*capture)(void* step, int32_t part, void** graph, char* error, size_t error_size);
  /* Fills inputs with data that depends only on `seed`. Resets weights, state and random number generators
   * to their state after open(). Steps after two calls with one seed must write equal outputs. */
  int (*fill)(void* step, uint64_t seed, char* error, size_t error_size);
  /* Sets `outputs` to the outputs of the last step, which ran whole or in parts. Returns the number of
   * outputs; negative for failure. The work of the last step is complete before this call. */
  int32_t (*outputs)(void* step, const gb_step_output** outputs, char* error, size_t error_size);
  /* Returns what the library counts as a JSON object, or null. The text is valid until the step's next call.
   * The function itself may be null, and so may each key be absent. `graphbench bill` reads the first six.
   *   gc_seconds                  s      spent on collecting garbage
   *   memory_reserved             bytes  held by the allocator, summed over all open steps
   *   max_memory_reserved         bytes  its maximum since open() of this step
   *   memory_allocated            bytes  a part of memory_reserved: what is in use
   *   memory_free_in_graph_pools  bytes  another part: only graphs may use it
   *   memory_of_graphbench        bytes  in none of these; left out of the bill
   *   stages.build                s      of open(), for what eager needs too
   *   stages.compile, .record     s      of open(), for this mode
   *   stages.between_captures     s      of the last captures of several parts, while none was open
   *   stages.compiled_from               "cold", "cache" or "both"
   *   stages.pieces                      [{"part", "seconds", "from"}, ...]: parts that were compiled
   *   capture_skips                      [{"reason", "words", "line"}, ...]: graphs that the library did not
   *                                      take; a reason is cpu_device, mutated_input, dynamic_shape,
   *                                      incompatible_op, several_devices or other */
  const char* (*report)(void* step);
  void (*close)(void* step);
  void* user;
  /* Sets `copies` to the state that graphbench puts back before each step of a timing pass, so that a step
   * which advances its state, such as a position in a cache, can be repeated. The copies are made outside of
   * the clocks; in passes without waits they are enqueued between two steps. Returns their number; negative
   * for failure. Called after open(); valid until close(). Null: nothing is put back. */
  int32_t (*state)(void* step, const gb_step_copy** copies, char* error, size_t error_size);
  /* The step's own check, in at most 64 turns. `heard` and `said` are JSON objects; `said` is valid until the
   * next call. Null: graphbench compares outputs() after fill(); both may be null only if check() is not.
   *   1. heard {"renew": true, "same_kernels": true}: whether inputs may get other values, and, if the device
   *      has records, whether the mode ran eager's kernels. said {"run": "eager"}: run one step of eager.
   *   2. heard {}: it has run. said {"run": "mode"}: run one step of the mode. More such turns may follow.
   *   3. heard {}. said {"verdict": {"identical": true, "max_abs_error": 0.0, "failed": "" (or why),
   *      "tolerated": "" (or what), "remarks": ["..."],
   *      "state": {"count": 1, "bytes": 4096, "names": ["w"], "generators": 0, "before_steps": 0,
   *                "before_steps_bytes": 0, "without_copy": 0},
   *      "inputs": {"renewed": 2, "why": "" (kept), "changed_outputs": true, "build_seconds": 0.1}}} */
  int (*check)(void* step, const char* heard, const char** said, char* error, size_t error_size);
  /* Lends `graphbench ladder` all inputs, state and outputs that have rows of the batch, to copy the rows of
   * requests in and out. Inputs and state stay where they are until close(), outputs of an eager step until
   * the next step. On CUDA all replays write their outputs where the capture did. A step whose rows cannot be
   * told apart fails with the name of what stands in the way. Returns the number of tensors; negative for
   * failure. Null: `ladder` refuses the step. */
  int32_t (*rows)(void* step, const gb_step_rows** rows, char* error, size_t error_size);
  /* From now on part -1 computes only the first `rows` rows of the batch, in place: inputs and state stay
   * where they are, and outputs have so many rows. With `rows` as large as the batch all is as after open().
   * Null if rows() is. */
  int (*narrow)(void* step, int64_t rows, char* error, size_t error_size);
  /* Gives up the graphs of capture(), which graphbench launches no more; or with GB_DROP_POOL, after the
   * graphs of all steps of the process, the memory that only these graphs used. capture() is called again
   * later, or close(). Null: `graphbench bill --cycles` refuses the step. */
  int (*drop)(void* step, int32_t what, char* error, size_t error_size);
  /* For `--profile`, or null: runs one eager step. Where another module begins or goes on, waits for what was
   * enqueued, and calls mark(name, marks): what follows is the module's ("": none's) until the next call. */
  int (*run_by_modules)(void* step, void (*mark)(const char* name, void* marks), void* marks, char* error,
                        size_t error_size);
} gb_step;

/* ---- the plugin itself --------------------------------------------------------------------- */

typedef struct gb_plugin {
  uint32_t struct_size; /* sizeof(gb_plugin) in the header that the plugin was compiled with */
  uint32_t abi_version; /* GB_ABI_VERSION in the header that the plugin was compiled with */
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

/* The one exported function, called once, before anything else. `host_abi_version` is graphbench's version.
 * On success the function returns 0, and sets `plugin` to a record that stays valid until the process ends;
 * otherwise it writes a reason to `error`. graphbench refuses a record of another abi_version and names both
 * versions. */
typedef int (*gb_plugin_open_fn)(uint32_t host_abi_version, const gb_plugin** plugin, char* error,
                                 size_t error_size);
#define GB_PLUGIN_OPEN_SYMBOL "graphbench_plugin_open"

#ifdef __cplusplus
}
#endif

#endif /* GRAPHBENCH_ABI_H */
