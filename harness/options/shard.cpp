// Reads --shard. For `auto`, reads the shard from a scheduler's environment variables. A table has the
// variables of each scheduler, for a task of an array and for a rank within a task.
#include <optional>

#include "graphs/base/text.hpp"
#include "harness/options/numbers.hpp"
#include "harness/options/options.hpp"

namespace graphbench::options {
namespace {

struct Scheduler {
  bool ranks;  // true: a rank within a task; false: a task of an array
  const char* index;
  const char* count;
  const char* first;  // null: the lowest is 0
  const char* last;
  const char* with = nullptr;  // the row is used only if this variable is set
};

// An MPI launcher may start its daemons as a Slurm step. Slurm's variables then number the daemons and not
// the ranks. So Slurm's row of ranks comes last, and is used only if no variable of MPI's rows is set.
constexpr Scheduler schedulers[] = {
    {false, "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX"},
    {false, "JOB_COMPLETION_INDEX", nullptr, nullptr, nullptr},
    {true, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", nullptr, nullptr},
    {true, "PMI_RANK", "PMI_SIZE", nullptr, nullptr},
    {true, "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", nullptr, nullptr, "SLURM_STEP_ID"},
};
constexpr const char* shards_variable = "GRAPHBENCH_SHARDS";

// The number of a task in its array, or of a rank in its task, from 0. count = 0: the count is not known.
struct ShardPlace {
  std::int64_t index = 0;
  std::int64_t count = 1;
  std::string said;
};

class Auto {
 public:
  Auto(const std::string& where, const Variables& variables) : where_(where), variables_(variables) {}

  ShardOption read() const {
    const std::optional<ShardPlace> task = array_place();
    const std::optional<ShardPlace> rank = rank_place();
    const std::optional<std::int64_t> shards = number(shards_variable);
    if (!task && !rank) {
      refuse("no scheduler sets the shard's number (" + names() + " are not set): give I/N, such as 1/8");
    }
    if (shards && *shards < 1) refuse(std::string(shards_variable) + " is 0: give the number of shards");
    const ShardPlace of_task = task.value_or(ShardPlace());
    const ShardPlace of_rank = rank.value_or(ShardPlace());
    ShardOption shard;
    shard.said = of_task.said + (task && rank ? " " : "") + of_rank.said;
    shard.index = of_task.index * of_rank.count + of_rank.index + 1;
    shard.count = shards.value_or(of_task.count * of_rank.count);
    if (shard.index > shard.count) {
      refuse(shard.said + " is shard " + std::to_string(shard.index) + ", but " + shards_variable + " is " +
             std::to_string(shard.count) + ": set " + shards_variable + " to the number of all shards");
    }
    return shard;
  }

 private:
  [[noreturn]] void refuse(const std::string& text) const { throw InputError(where_, "auto: " + text); }

  std::optional<std::int64_t> number(const char* name) const {
    const char* text = name == nullptr ? nullptr : variables_(name);
    if (text == nullptr || *text == '\0') return std::nullopt;
    const ParsedInteger parsed = parse_integer(text);
    if (parsed.fault == NumberFault::none && parsed.value >= 0 && parsed.value <= shards_max)
      return parsed.value;
    refuse(std::string(name) + " is " + in_quotes(text) + ", which is not a number from 0 to " +
           std::to_string(shards_max));
  }

  static std::string names() { return join(schedulers, ", ", &Scheduler::index); }

  bool is_set(const Scheduler& row) const {
    return number(row.index) && (row.with == nullptr || variables_(row.with) != nullptr);
  }

  std::string said(const Scheduler& row) const {
    return std::string(row.index) + "=" + std::to_string(*number(row.index));
  }

  std::optional<ShardPlace> array_place() const {
    const Scheduler* found = nullptr;
    for (const Scheduler& row : schedulers) {
      if (row.ranks || !is_set(row)) continue;
      if (found != nullptr)
        refuse(said(*found) + " and " + said(row) + " contradict each other: unset one of the two");
      found = &row;
    }
    if (found == nullptr) return std::nullopt;
    const std::int64_t index = *number(found->index);
    const std::int64_t first = found->first == nullptr ? 0 : number(found->first).value_or(0);
    const std::int64_t count = number(found->count).value_or(0);
    const std::int64_t last = number(found->last).value_or(count > 0 ? first + count - 1 : index);
    const std::string range = std::to_string(first) + " to " + std::to_string(last);
    if (index < first || index > last) refuse(said(*found) + " is not among the array's ids, " + range);
    // If GRAPHBENCH_SHARDS is set, ids may have gaps (--array=3,5). Shard indices start at 0. So the index is
    // the id if the array's lowest id is 0, and otherwise the id minus 1.
    if (number(shards_variable)) return ShardPlace{index - (first == 0 ? 0 : 1), 1, said(*found)};
    if (count == 0) {
      refuse(said(*found) + " does not say how many tasks there are: set " + shards_variable +
             " to that number");
    }
    if (first > 1 || last - first + 1 != count) {
      refuse("the ids " + range + " of " + std::to_string(count) +
             " tasks must begin at 0 or 1 and have no " + "gaps: number them so, or set " + shards_variable +
             " to the number of all shards");
    }
    return ShardPlace{index - first, count, said(*found)};
  }

  std::optional<ShardPlace> rank_place() const {
    std::optional<ShardPlace> place;
    for (const Scheduler& row : schedulers) {
      if (!row.ranks || !is_set(row)) continue;
      if (place && row.with != nullptr) continue;
      const ShardPlace own{*number(row.index), number(row.count).value_or(0), said(row)};
      if (own.index >= own.count) {
        refuse(own.said + " is not less than " + row.count + "=" + std::to_string(own.count));
      }
      if (place && (place->index != own.index || place->count != own.count)) {
        refuse(place->said + " and " + own.said + " contradict each other: unset one of the two");
      }
      place = own;
    }
    return place;
  }

  const std::string& where_;
  const Variables& variables_;
};

}  // namespace

ShardOption read_shard(const std::string& where, const std::string& text, const Variables& variables) {
  if (text == "auto") return Auto(where, variables).read();
  const std::size_t slash = text.find('/');
  const ParsedInteger index = parse_integer(std::string_view(text).substr(0, slash));
  const ParsedInteger count = parse_integer(
      slash == std::string::npos ? std::string_view() : std::string_view(text).substr(slash + 1));
  const bool read = index.fault == NumberFault::none && count.fault == NumberFault::none;
  if (read && index.value >= 1 && index.value <= count.value && count.value <= shards_max) {
    ShardOption shard;
    shard.index = index.value;
    shard.count = count.value;
    return shard;
  }
  throw InputError(where,
                   in_quotes(text) + " is not a shard: give I/N with I from 1 to N, such as 3/8, or auto");
}

}  // namespace graphbench::options
