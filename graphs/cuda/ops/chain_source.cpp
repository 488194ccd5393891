// The shape of the kernel, then op by op.
#include "graphs/cuda/ops/chain_source.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace graphbench::cuda {
namespace {

constexpr std::int64_t items_max = 32;  // values of a thread in registers, for each value of the chain
constexpr std::int64_t shared_bytes_max = 47 << 10;

std::string text_of(std::int64_t number) {
  return std::to_string(number);
}
// Every bit of it.
std::string text_of(double number, const char* suffix) {
  char text[48];
  std::snprintf(text, sizeof(text), "%a%s", number, suffix);
  return text;
}

const char* element_of(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::fp32:
      return "float";
    case ir::DType::fp16:
      return "Half";
    case ir::DType::bf16:
      return "BFloat16";
    case ir::DType::i32:
      break;
  }
  return nullptr;
}

// Elements of a thread that general code has functions for, where neighbours are not read at once: a row
// takes the first that is enough.
constexpr std::int64_t items_apart[] = {1, 4, items_max};

class Generator {
 public:
  explicit Generator(const ChainCall& call) : call_(call), known_(call.values.size()) {
    const ir::TensorDesc& rows = call.ops.front().input(0);
    columns_ = rows.dims.back();
    elements_ = rows.elements();
    element_ = element_of(rows.dtype);
    element_bytes_ = static_cast<std::int64_t>(ir::size_of(rows.dtype));
    for (const ir::OpCall& op : call.ops) {
      by_row_ |= op.op->kind == "rmsnorm" || op.op->kind == "rope";
      if (op.op->kind == "rope") turns_ = std::max(turns_, op.output(0).dims[3] / 2);
    }
    lanes_ = 16 / element_bytes_;
    vector_ = columns_ % lanes_ == 0 && (!by_row_ || columns_ / lanes_ <= 1024);
    const std::int64_t work = vector_ ? columns_ / lanes_ : columns_;
    threads_ = by_row_ ? std::min<std::int64_t>((work + 31) / 32 * 32, vector_ ? 1024 : 512) : 256;
    items_ = vector_ ? lanes_ : by_row_ ? (columns_ + threads_ - 1) / threads_ : 1;
  }

  ChainSource source() {
    ChainSource source;
    if (element_ == nullptr) source.why_not = "elements are integers";
    if (items_ > items_max) source.why_not = "a row of " + text_of(columns_) + " elements is too long";
    const std::int64_t shared_bytes = turns_ > 0 ? turn_words() * 16 + columns_ * element_bytes_ : 0;
    if (shared_bytes > shared_bytes_max)
      source.why_not = "rows of " + text_of(columns_) + " elements do not fit into shared memory";
    if (!source.why_not.empty()) return source;
    begin();
    for (std::size_t i = 0; i < call_.ops.size() && source.why_not.empty(); ++i)
      source.why_not = add(call_.ops[i], call_.places[i]);
    if (!source.why_not.empty()) return source;
    source.text = std::string(chain_support()) + "namespace graphbench::cuda {\n\nusing T = " + element_ +
                  ";\nstruct Parameters {\n" + members_ + "};\n\n" +
                  "template <class Layout, int items>\n__device__ __forceinline__ void chain_of(const "
                  "Parameters& p) {\n" +
                  text_ + "}\n" + functions() + "\n}  // namespace graphbench::cuda\n";
    source.function = function();
    source.extents = extents_;
    // As the op's own kernel does: a thread reads what it writes, before it writes.
    if (call_.ops.size() == 1 && !by_row_) source.in_place_input = 0;
    source.threads = static_cast<unsigned>(threads_);
    source.shared_bytes = call_.general ? static_cast<unsigned>(shared_bytes) : 0;
    const std::int64_t per_block = by_row_ ? columns_ : threads_ * items_;
    source.blocks = static_cast<unsigned>((elements_ + per_block - 1) / per_block);
    return source;
  }

 private:
  void line(const std::string& code) { text_ += "  " + code + "\n"; }
  void each(const std::string& code) { line("for (int i = 0; i < items; ++i) " + code); }

  // A size, which general code is told at each launch.
  void extent(const std::string& name, std::int64_t value) {
    if (!call_.general) return line("constexpr long long " + name + " = " + text_of(value) + ";");
    members_ += "  long long " + name + ";\n";
    line("const long long " + name + " = p." + name + ";");
    extents_.push_back(value);
  }

  std::int64_t turn_words() const { return (turns_ + 1) / 2; }  // of sixteen bytes: two angles each

  static std::string entry(const std::string& name, std::int64_t threads, const std::string& layout,
                           std::int64_t items) {
    return "\nextern \"C\" __global__ void __launch_bounds__(" + text_of(threads) + ") " + name +
           "(const Parameters p) {\n  chain_of<" + layout + ", " + text_of(items) + ">(p);\n}\n";
  }

  // What is launched: of general code a function for each layout that rows may have.
  std::string functions() const {
    if (!call_.general) {
      const std::string apart = "Apart<" + text_of(by_row_ ? threads_ : 1) + ">";
      return entry("chain", threads_, vector_ ? "Neighbours" : apart, items_);
    }
    std::string text = entry("chain_of_neighbours", by_row_ ? 1024 : 256, "Neighbours", lanes_);
    for (const std::int64_t items : items_apart) {
      if (items == 1 || by_row_) text += entry(apart_name(items), by_row_ ? 512 : 256, "Apart<0>", items);
    }
    return text;
  }
  std::string function() const {
    if (!call_.general) return "chain";
    return vector_ ? "chain_of_neighbours" : apart_name(*std::ranges::lower_bound(items_apart, items_));
  }
  static std::string apart_name(std::int64_t items) { return "chain_apart_" + text_of(items); }

  void begin() {
    for (std::size_t i = 0; i < call_.read + call_.written; ++i)
      members_ += (i < call_.read ? "  const T* p" : "  T* p") + std::to_string(i) + ";\n";
    line("let_next_kernel_start();");
    extent("columns", columns_);
    // Of the thread's first element: its place, its column, and how many there are from it on.
    if (by_row_) {
      line("const int column = static_cast<int>(threadIdx.x) * Layout::thread_step(items);");
      line("const long long at = blockIdx.x * columns + column;");
      line("const long long left = columns - column;");
    } else {
      extent("elements", elements_);
      line("const long long at = (blockIdx.x * " + text_of(threads_) + "ll + threadIdx.x) * items;");
      line("const int column = static_cast<int>(at % columns);");
      line("const long long left = elements - at;");
    }
    // What no op writes, while the kernels ahead still run.
    for (std::size_t op = 0; op < call_.ops.size(); ++op) {
      for (std::size_t i = 0; i < call_.ops[op].input_count; ++i) {
        if (call_.ops[op].is_weight(i)) (void)value(call_.places[op][i]);
      }
    }
    line("wait_for_kernels_ahead();");
    for (std::size_t place = 0; place < call_.read; ++place) (void)value(place);
  }

  static std::string name(std::size_t place) { return "v" + std::to_string(place); }

  // A value in registers: loaded where it is not there yet.
  std::string value(std::size_t place) {
    if (!known_[place]) {
      const bool is_vector = call_.values[place].dims.size() == 1;
      line("float " + name(place) + "[items];");
      line("Layout::load(" + name(place) + ", p.p" + std::to_string(place) +
           (is_vector ? " + column" : " + at") + ", left);");
      known_[place] = true;
    }
    return name(place);
  }

  void make(std::size_t place, const std::string& expression) {
    line("float " + name(place) + "[items];");
    each(name(place) + "[i] = rounded<T>(" + expression + ");");
    known_[place] = true;
    if (place < call_.read + call_.written)
      line("Layout::store(p.p" + std::to_string(place) + " + at, " + name(place) + ", left);");
  }

  // Empty, or why the op cannot be had.
  std::string add(const ir::OpCall& op, const std::vector<std::size_t>& places) {
    const std::string& kind = op.op->kind;
    const std::string x = value(places[0]);
    if (kind == "rope") {
      add_rope(op, places);
    } else if (kind == "relu" || kind == "gelu_tanh") {
      make(places[1], kind + "(" + x + "[i])");
    } else if (kind == "add" || kind == "bias_add") {
      make(places[2], "sum_of(" + x + "[i], " + value(places[1]) + "[i])");
    } else if (kind == "rmsnorm") {
      const std::string gamma = value(places[1]), of = std::to_string(places[2]);
      line("float squares" + of + " = 0.0f;");
      each("if (Layout::has(i, left)) squares" + of + " = add_square(squares" + of + ", " + x + "[i]);");
      const auto eps = static_cast<float>(ir::real_attribute(*op.op, "eps"));
      line("const float scale" + of + " = norm_scale(block_reduce<Sum>(squares" + of + "), columns, " +
           text_of(eps, "f") + ");");
      make(places[2], "normed(" + x + "[i], scale" + of + ", " + gamma + "[i])");
    } else {
      return "the generator has no " + kind;
    }
    return {};
  }

  // The row is turned in shared memory, behind the angles; of several ropes, all use one place.
  void add_rope(const ir::OpCall& op, const std::vector<std::size_t>& places) {
    const std::vector<std::int64_t>& q = op.output(0).dims;
    const std::string of = std::to_string(places[1]);
    if (!std::exchange(has_shared_, true)) {
      extent("turn_words", turn_words());
      line(call_.general ? "extern __shared__ uint4 shared[];"
                         : "__shared__ uint4 shared[turn_words + (columns * sizeof(T) + 15) / 16];");
      line("float2* const turns = reinterpret_cast<float2*>(shared);");
      line("T* const row = reinterpret_cast<T*>(shared + turn_words);");
    } else {
      line("__syncthreads();");
    }
    line("Layout::store(row + column, " + name(places[0]) + ", left);");
    line("__syncthreads();");
    extent("heads" + of, q[1]);
    extent("tokens" + of, q[2]);
    extent("head_dim" + of, q[3]);
    std::string to;
    for (const std::size_t i : {1u, 2u, 3u}) to += "p.p" + std::to_string(places[i]) + ", ";
    line("rope_row(row, turns, " + to + "static_cast<int>(tokens" + of + "), static_cast<int>(heads" + of +
         "), static_cast<int>(head_dim" + of + "), " +
         text_of(std::log2(ir::real_attribute(*op.op, "theta")), "") + ");");
  }

  const ChainCall& call_;
  std::vector<bool> known_;  // by place: in registers
  std::int64_t columns_ = 0;
  std::int64_t elements_ = 0;
  const char* element_ = nullptr;
  std::int64_t element_bytes_ = 0;
  std::int64_t lanes_ = 0;  // elements of sixteen bytes
  bool by_row_ = false;
  bool vector_ = false;
  std::int64_t threads_ = 0;
  std::int64_t items_ = 0;
  std::int64_t turns_ = 0;  // angles of the rope that has most
  bool has_shared_ = false;
  std::vector<std::int64_t> extents_;
  std::string members_;  // of the parameters
  std::string text_;
};

}  // namespace

ChainSource chain_source(const ChainCall& call) {
  return Generator(call).source();
}

}  // namespace graphbench::cuda
