// Reads a shape trace line by line. Every error names the file and the line.
#include <sstream>

#include "graphs/base/files.hpp"
#include "graphs/base/text.hpp"
#include "harness/options/raw_options.hpp"

namespace graphbench::options {
namespace {

// The number of steps is limited, because the document has an entry for each step.
constexpr std::size_t steps_max = 4096;
constexpr std::size_t bytes_max = std::size_t{1} << 20;
constexpr IntegerRange sizes = {1, 1 << 30};

std::int64_t size_of(const std::string& where, const std::string& word, const char* noun) {
  return parse_within(where, word, sizes, std::string(" is not a ") + noun + ": give ");
}

}  // namespace

model::ShapeTrace parse_shape_trace(const std::string& path, std::string_view content) {
  model::ShapeTrace trace{.file = path, .steps = {}};
  std::istringstream lines{std::string(content)};
  std::int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::string where = path + ":" + std::to_string(++number);
    std::istringstream words(line.substr(0, line.find('#')));
    std::string batch, sequence, more;
    if (!(words >> batch)) continue;
    model::ShapeStep step{size_of(where, batch, "batch size"), std::nullopt, number};
    if (words >> sequence) step.sequence = size_of(where, sequence, "sequence length");
    if (words >> more)
      throw InputError(
          where,
          in_quotes(head_of(more, 80)) +
              " is one field too many: give a batch size (8), or a batch size and a sequence length (8 128)");
    if (!trace.steps.empty() && step.sequence.has_value() != trace.steps.front().sequence.has_value())
      throw InputError(where, "batch size " + batch + (step.sequence ? " has a" : " has no") +
                                  " sequence length, in contrast to line " +
                                  std::to_string(trace.steps.front().line) +
                                  ": give a sequence length in all lines or in none");
    if (trace.steps.size() == steps_max)
      throw InputError(where,
                       "the file has more than " + std::to_string(steps_max) + " steps: give fewer steps");
    trace.steps.push_back(step);
  }
  if (trace.steps.empty())
    throw InputError(path + ":1", "the file has no step: give one batch size per line, such as 8");
  return trace;
}

model::ShapeTrace read_shape_trace(const std::string& where, const std::string& path) {
  const WholeFile file = read_whole_file(path, bytes_max);
  if (!file.why_not.empty())
    throw InputError(
        where, in_quotes(path) + " " + file.why_not +
                   "; give a file with one batch size per line, such as 8, or 8 128 with a sequence length");
  return parse_shape_trace(path, file.text);
}

void read_shape_options(const RawOptions& raw, SweepOptions& options) {
  model::ShapeTrace& trace = options.instruments.shape_trace;
  trace = read_shape_trace(options.where("shape-trace"), text_of(raw, "shape-trace", ""));
  trace.programs_max = integer(raw, "shape-programs", trace.programs_max, {1, 1024});
  trace.recordings_max = integer(raw, "shape-recordings", trace.recordings_max, {1, 4096});
}

}  // namespace graphbench::options
