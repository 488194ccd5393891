// Reads the values of each axis, with the allowed values and the default from the axis's row.
#include <charconv>
#include <iterator>
#include <set>
#include <sstream>
#include <utility>

#include "graphs/base/text.hpp"
#include "harness/model/vocabulary.hpp"
#include "harness/options/numbers.hpp"
#include "harness/options/raw_options.hpp"

namespace graphbench::options {
namespace {

void check_choices(const model::Axis& axis, const std::vector<std::string>& given, const std::string& where) {
  for (const std::string& word : given) {
    // The plan checks a foreign step's modes later, because the step's library is not known here.
    if (axis.texts == &model::Axes::mode && model::is_step_mode(word)) continue;
    require_known(where, word, axis.noun, axis.choices);
  }
}

std::vector<std::int64_t> numbers_of(const model::Axis& axis, const std::vector<RawItem>& items) {
  return parse_numbers(items.front().where, join(items, ",", &RawItem::text),
                       {.noun = axis.noun, .allow_zero = axis.allow_zero});
}

// Replaces vLLM's names of modes by ours, so that both names of one mode count as a duplicate.
std::vector<RawItem> modes_of(std::vector<RawItem> items) {
  for (RawItem& item : items) item.text = join(split(item.text, ','), ",", model::mode_named);
  return items;
}

std::vector<std::string> texts_of(const model::Axis& axis, const std::vector<RawItem>& items) {
  if (axis.values == model::AxisValues::name) return {text_of(items.back())};
  std::vector<std::string> texts;
  if (axis.values == model::AxisValues::numbers) {
    for (const std::int64_t number : numbers_of(axis, items)) texts.push_back(std::to_string(number));
    return texts;
  }
  texts = words_of(axis.texts == &model::Axes::mode ? modes_of(items) : items, axis.noun);
  if (axis.values == model::AxisValues::choices) check_choices(axis, texts, items.front().where);
  return texts;
}

}  // namespace

model::Axes read_axes(const RawOptions& raw, const model::AxisTable& table) {
  model::Axes axes;
  for (const model::Axis& axis : table) {
    const std::vector<RawItem>* given = find(raw, axis.name);
    if (given == nullptr && axis.fallback.empty()) continue;
    const std::vector<RawItem> items =
        given != nullptr ? *given : std::vector<RawItem>{{axis.fallback, "--" + axis.name}};
    if (axis.numbers != nullptr) {
      axes.*axis.numbers = numbers_of(axis, items);
    } else if (axis.texts != nullptr) {
      axes.*axis.texts = texts_of(axis, items);
    } else if (std::vector<std::string> values = texts_of(axis, items);
               values != std::vector<std::string>{axis.fallback}) {
      axes.more_axes[axis.name] = std::move(values);
    }
  }
  return axes;
}

std::vector<model::Axes> read_grids(const RawOptions& raw, const model::AxisTable& table) {
  std::vector<model::Axes> grids;
  const std::vector<RawItem>* const items = find(raw, "grid");
  if (items == nullptr) return grids;
  std::vector<std::string> names;
  for (const model::Axis& axis : table) {
    if (!axis.says_what()) names.push_back(axis.name);
  }
  for (const RawItem& item : *items) {
    RawOptions changed = raw;
    std::set<std::string> seen;
    std::istringstream parts(text_of(item));
    for (std::string part; parts >> part;) {
      const std::size_t equals = part.find('=');
      if (equals == std::string::npos)
        throw InputError(item.where,
                         in_quotes(part) + " is not AXIS=VALUES: give e.g. \"warmup=0,1,3 mode=whole\"");
      const std::string name = part.substr(0, equals);
      require_known(item.where, name, "grid's axis", names);
      if (!seen.insert(name).second)
        throw InputError(item.where, in_quotes(name) + " is given twice: give each axis once");
      changed[name] = {{part.substr(equals + 1), item.where}};
    }
    grids.push_back(read_axes(changed, table));
  }
  return grids;
}

}  // namespace graphbench::options
