// Describes a struct once for both writing and reading JSON: a tuple of fields, each with a key and a member.
// json_writer.hpp and json_reader.hpp loop over the fields.
#pragma once

#include <array>
#include <boost/pfr/tuple_size.hpp>
#include <boost/preprocessor.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace graphbench::model {

// Documents are for users and other programs. Messages between our own processes have more fields.
enum class Form : std::uint8_t { document, message };

// Specialised for each struct: `static constexpr auto fields = std::tuple(field("key", &T::member), ...)`.
// Optional: `static bool can_be_written(const T&)` returns false for a value that becomes null. Optional:
// `static T unread()` returns the value before any key is read, if T() would look like a value that was read.
template <typename T>
struct Description;

template <typename T>
concept Described = requires {
  Description<T>::fields;
};

// Specialised for each enum and each variant of messages (GB_NAMES): names[i] is the name of value i of the
// enum, or of alternative i of the variant.
template <typename E>
struct Names;

template <typename E>
concept Named = std::is_enum_v<E> && requires {
  Names<E>::names;
};

enum class When : std::uint8_t {
  always,
  not_default,  // no key if the member has its default; older documents lack the key too
  in_messages   // only in messages, because the value is too large for a document
};

template <typename T, typename Member>
struct Field {
  std::string_view key;
  Member T::*member;
  When when = When::always;
  bool empty_is_null = false;  // write null for an empty string, which means "not known"
};

// A nested object in the document. The object's fields are members of the struct itself.
template <typename... Fields>
struct Group {
  std::string_view key;
  std::tuple<Fields...> fields;
};

// A member that is a struct, whose fields are written into the object of the outer struct.
template <typename T, typename Member>
struct Inlined {
  Member T::*member;
};

// Two members that are written as [low, high], or as null if one of them is absent.
template <typename T>
struct Interval {
  std::string_view key;
  std::optional<double> T::*low;
  std::optional<double> T::*high;
};

// The values of later axes (harness/model/axes.hpp). The key of each value is the axis's name.
template <typename T>
struct LaterAxes {};

// A member that has no field here, because other code writes it, or because it is not written.
template <typename T, typename Member>
struct LeftOut {
  Member T::*member;
};

// A field that Custom writes and reads, for one member or computed from several. Custom must have
// `std::optional<Json> write(const T&)`, which returns nullopt if the object gets no key. It may have
// `void read(JsonWalk&, JsonWalk::Value, T&)`.
template <typename Custom>
struct CustomField {
  std::string_view key;
  Custom custom;
  bool in_messages = true;
  std::size_t members = 1;  // for describes_all(); 0: computed
};

// The number of the struct's members that a field describes.
template <typename Any>
constexpr std::size_t members_in(const Any&) {
  return 1;
}
template <typename... Fields>
constexpr std::size_t members_in(const std::tuple<Fields...>& fields) {
  return std::apply([](const auto&... each) { return (std::size_t{0} + ... + members_in(each)); }, fields);
}
template <typename... Fields>
constexpr std::size_t members_in(const Group<Fields...>& group) {
  return members_in(group.fields);
}
template <typename T>
constexpr std::size_t members_in(const Interval<T>&) {
  return 2;
}
template <typename Custom>
constexpr std::size_t members_in(const CustomField<Custom>& field) {
  return field.members;
}
// The writer and the reader assert describes_all(), so a description that lacks a member does not compile.
template <Described T>
constexpr bool describes_all() {
  return members_in(Description<T>::fields) == boost::pfr::tuple_size_v<T>;
}

template <typename T, typename Member>
constexpr Field<T, Member> field(std::string_view key, Member T::*member) {
  return {key, member};
}
template <typename T, typename Member>
constexpr Field<T, Member> later_field(std::string_view key, Member T::*member) {
  return {key, member, When::not_default};
}
template <typename T, typename Member>
constexpr Field<T, Member> message_field(std::string_view key, Member T::*member) {
  return {key, member, When::in_messages};
}
template <typename T, typename Member>
constexpr Field<T, Member> text_field(std::string_view key, Member T::*member) {
  return {key, member, When::always, true};
}
template <typename... Fields>
constexpr Group<Fields...> group(std::string_view key, Fields... fields) {
  return {key, std::tuple(fields...)};
}
template <typename T, typename Member>
constexpr Inlined<T, Member> inlined(Member T::*member) {
  return {member};
}
template <typename T>
constexpr Interval<T> interval(std::string_view key, std::optional<double> T::*low,
                               std::optional<double> T::*high) {
  return {key, low, high};
}
template <typename T, typename Member>
constexpr LeftOut<T, Member> left_out_field(std::string_view, Member T::*member) {
  return {member};
}
template <typename Custom>
constexpr CustomField<Custom> custom_field(std::string_view key, std::size_t members = 1) {
  return {key, {}, true, members};
}
template <typename Custom>
constexpr CustomField<Custom> computed_field(std::string_view key, bool in_messages = true) {
  return {key, {}, in_messages, 0};
}

// Describes a struct: GB_DESCRIBE(Reason, code, message). The key of a member is the member's name. An
// entry in parentheses is either a kind of field and a member, such as (later, mode), or an expression that
// makes the field, such as (inlined(&T::cell)), where T is the struct.
#define GB_DESCRIBE(type, ...)                                                                             \
  template <>                                                                                              \
  struct Description<type> {                                                                               \
    using T = type;                                                                                        \
    static constexpr auto fields = std::tuple(                                                             \
        BOOST_PP_SEQ_ENUM(BOOST_PP_SEQ_TRANSFORM(GB_FIELD, type, BOOST_PP_VARIADIC_TO_SEQ(__VA_ARGS__)))); \
  }
#define GB_FIELD(r, type, each) \
  BOOST_PP_IIF(BOOST_PP_IS_BEGIN_PARENS(each), GB_FIELD_IN_PARENTHESES, GB_FIELD_OF)(each)
#define GB_FIELD_OF(name) field(#name, &T::name)
#define GB_FIELD_IN_PARENTHESES(each) BOOST_PP_CAT(GB_FIELD_, BOOST_PP_TUPLE_SIZE(each)) each
#define GB_FIELD_1(written_out) written_out
#define GB_FIELD_2(kind, name) kind##_field(#name, &T::name)

#define GB_NAMES(type, ...)                                                       \
  template <>                                                                     \
  struct Names<type> {                                                            \
    static constexpr auto names = std::to_array<std::string_view>({__VA_ARGS__}); \
  }

}  // namespace graphbench::model
