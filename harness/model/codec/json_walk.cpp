// Reads and checks single JSON values. Messages name the place and the fault.
#include "harness/model/codec/json_walk.hpp"

#include <cmath>
#include <new>
#include <span>

#include "graphs/base/text.hpp"

namespace graphbench::model {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr std::size_t shown_max = 40;
constexpr std::size_t subject_max = 120;
std::string excerpt(std::string_view text) {
  // Reads at most text_padding bytes, because in a damaged text a value's end may be after the text.
  text = text.substr(0, text_padding);
  const std::size_t end = text.find_last_not_of(" \t\r\n");
  text = text.substr(0, end == std::string_view::npos ? 0 : end + 1);
  std::string shown;
  for (const char c : text.substr(0, shown_max)) {
    const auto byte = static_cast<unsigned char>(c);
    shown += byte < 0x20 || byte >= 0x7f ? '?' : c;
  }
  return text.size() > shown_max ? shown + "..." : shown;
}

std::string meaning_of(simdjson::error_code code) {
  switch (code) {
    case simdjson::EMPTY:
      return "the file is empty: give a result document that --json wrote";
    case simdjson::UTF8_ERROR:
      return "the file is not JSON: it has bytes that are not UTF-8";
    case simdjson::CAPACITY:
      return "the document has more than 4 GiB: split it into a folder of documents";
    case simdjson::UNCLOSED_STRING:
    case simdjson::INCOMPLETE_ARRAY_OR_OBJECT:
    case simdjson::TAPE_ERROR:
    case simdjson::OUT_OF_BOUNDS:
      return "the file is not JSON, or only a part of a document: the text is damaged or cut off here";
    case simdjson::NUMBER_ERROR:
      return "the file is not JSON: a number is malformed or out of range";
    case simdjson::STRING_ERROR:
    case simdjson::UNESCAPED_CHARS:
      return "the file is not JSON: a string is malformed";
    default:
      break;
  }
  return std::string("the document cannot be read (") + simdjson::error_message(code) + ")";
}

// Returns the key without quotes, with escapes replaced.
std::string_view unescaped_key_of(ondemand::field& field) {
  const char* begin = field.key().raw();
  const char* end = begin;
  while (*end != '"' && *end != '\\') ++end;  // ends, because the parser has already found the closing quote
  if (*end == '"') return {begin, static_cast<std::size_t>(end - begin)};
  return field.unescaped_key();
}

}  // namespace

ondemand::document open_json(ondemand::parser& parser, std::string_view text) {
  // If simdjson 3 gets no memory for its strings, allocate() reports success. Then iterate() allocates
  // again, for text.size(). So a parser with another capacity than `capacity` had no memory for its strings.
  const std::size_t capacity = text.size() + 1;
  if (const auto error = parser.allocate(capacity); error != simdjson::SUCCESS)
    throw simdjson::simdjson_error(error);
  ondemand::document json =
      parser.iterate(text.data(), text.size(), text.size() + simdjson::SIMDJSON_PADDING);
  if (parser.capacity() != capacity) throw std::bad_alloc();
  return json;
}

void JsonWalk::document(std::string_view text, const FieldVisitor& visit) {
  const simdjson::padded_string padded(text);
  if (padded.data() == nullptr && !text.empty()) throw std::bad_alloc();
  try {
    ondemand::parser parser;
    ondemand::document json = open_json(parser, padded);
    each_field(json, visit);
  } catch (const simdjson::simdjson_error& error) {
    fail(error);
  }
}

void JsonWalk::each_field(Value value, const FieldVisitor& visit) {
  ondemand::object object;
  if (value.get_object().get(object) != simdjson::SUCCESS) wrong(value, "an object");
  visit_fields(object, visit);
}

void JsonWalk::each_field(ondemand::document& document, const FieldVisitor& visit) {
  visit_fields(document.get_object(), visit);
  const char* rest = nullptr;
  if (document.current_location().get(rest) == simdjson::SUCCESS)
    fail("the file is not JSON: there is text after the document");
}

void JsonWalk::visit_fields(ondemand::object object, const FieldVisitor& visit) {
  Keys keys(keys_);
  for (ondemand::field field : object) {
    const std::string_view key = unescaped_key_of(field);
    const Descent descent(*this, {key.empty() ? std::string_view("\"\"") : key, 0});
    if (!keys.add(key)) fail("the key appears twice: remove one of the two");
    visit(key, field.value());
  }
}

void JsonWalk::each_element(Value value, const ElementVisitor& visit) {
  ondemand::array array;
  if (value.get_array().get(array) != simdjson::SUCCESS) wrong(value, "a list");
  std::int64_t index = 0;
  for (Value element : array) {
    const Descent descent(*this, {std::string_view(), index++});
    visit(element);
  }
}

bool JsonWalk::Keys::add(std::string_view key) {
  // A hash of length, first and last letter. A key is compared only if its bit is already in marks_.
  const std::size_t mark = key.empty() ? 0
                                       : key.size() + 3u * static_cast<unsigned char>(key.back()) +
                                             7u * static_cast<unsigned char>(key.front());
  const std::uint64_t bit = std::uint64_t{1} << mark % 64;
  const auto before = std::span(all_).subspan(begin_);
  if ((marks_ & bit) != 0 && contains(before, key)) return false;
  marks_ |= bit;
  if (all_.size() - begin_ == few) return (rest_ ? *rest_ : rest_.emplace()).insert(key).second;
  all_.push_back(key);
  return true;
}

void JsonWalk::too_deep() {
  depth_ = 0;  // the message names no place, because so many levels do not fit in a line
  fail("the document is nested deeper than " + std::to_string(nesting_max) +
       " levels: give a document that graphbench wrote");
}

std::string JsonWalk::place() const {
  std::string place;
  for (const Step& step : std::span(path_).first(depth_)) {
    if (step.key.empty()) {
      place.append("[").append(std::to_string(step.index)).append("]");
    } else {
      place.append(place.empty() ? "" : ".").append(excerpt(step.key));
    }
  }
  return place;
}

void JsonWalk::fail(const std::string& detail) const {
  fail_at(place(), detail);
}

void JsonWalk::fail_below(const std::string& place_below, const std::string& detail) const {
  fail_at(place() + "." + place_below, detail);
}

void JsonWalk::fail_at(const std::string& where, const std::string& detail) const {
  std::string message = where.empty() ? detail : where + ": " + detail;
  if (!subject_.empty()) message += " (cell " + in_quotes(head_of(subject_, subject_max)) + ")";
  throw InputError(source_, message);
}

void JsonWalk::fail(const simdjson::simdjson_error& error) const {
  if (error.error() == simdjson::MEMALLOC) throw std::bad_alloc();
  fail(meaning_of(error.error()));
}

void JsonWalk::wrong(Value value, const char* wanted) {
  const std::string_view token = value.raw_json_token();
  if (token.starts_with("NaN") || token.starts_with("Inf") || token.starts_with("-Inf") ||
      token.starts_with("nan") || token.starts_with("inf") || token.starts_with("-inf")) {
    fail(excerpt(token) + " is neither JSON nor a time: leave the field out or write null");
  }
  fail(excerpt(token) + " is not " + wanted);
}

std::string JsonWalk::text(Value value) {
  std::string_view string;
  if (value.get_string().get(string) != simdjson::SUCCESS) wrong(value, "a string");
  return std::string(string);
}

bool JsonWalk::is_null(Value value) {
  bool null = false;
  if (value.is_null().get(null) != simdjson::SUCCESS) wrong(value, "JSON");
  return null;
}

std::string JsonWalk::text_or_empty(Value value) {
  return is_null(value) ? std::string() : text(value);
}

bool JsonWalk::truth(Value value) {
  bool result = false;
  if (value.get_bool().get(result) != simdjson::SUCCESS) wrong(value, "true or false");
  return result;
}

double JsonWalk::number(Value value) {
  double result = 0;
  if (value.get_double().get(result) != simdjson::SUCCESS || !std::isfinite(result)) {
    wrong(value, "a finite number");
  }
  return result;
}

std::int64_t JsonWalk::integer(Value value) {
  std::int64_t result = 0;
  if (value.get_int64().get(result) != simdjson::SUCCESS) wrong(value, "a whole number");
  return result;
}

std::uint64_t JsonWalk::natural(Value value) {
  std::uint64_t result = 0;
  if (value.get_uint64().get(result) != simdjson::SUCCESS) wrong(value, "a whole number from 0 up");
  return result;
}

JsonWalk::Scalar JsonWalk::scalar(Value value) {
  ondemand::json_type type{};
  if (value.type().get(type) != simdjson::SUCCESS) wrong(value, "JSON");
  if (type == ondemand::json_type::string) return {text(value), true};
  if (type == ondemand::json_type::boolean) return {truth(value) ? "true" : "false", false};
  if (type != ondemand::json_type::number) wrong(value, "a string, a number, true or false");
  const std::string_view token = value.raw_json_token();
  number(value);
  return {std::string(token.substr(0, token.find_last_not_of(" \t\r\n") + 1)), false};
}

void JsonWalk::skip(Value value) {
  ondemand::json_type type{};
  if (value.type().get(type) != simdjson::SUCCESS) wrong(value, "JSON");
  switch (type) {
    case ondemand::json_type::array:
      each_element(value, [this](Value element) { skip(element); });
      break;
    case ondemand::json_type::object:
      each_field(value, [this](std::string_view, Value field) { skip(field); });
      break;
    case ondemand::json_type::number:
      number(value);
      break;
    case ondemand::json_type::string: {
      std::string_view string;
      if (value.get_string().get(string) != simdjson::SUCCESS) wrong(value, "a string");
      break;
    }
    case ondemand::json_type::boolean:
      truth(value);
      break;
    case ondemand::json_type::null:
      if (!is_null(value)) wrong(value, "JSON");
      break;
  }
}

}  // namespace graphbench::model
