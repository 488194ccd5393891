// The JSON form of the floor process's question and answer.
#include "harness/codec/messages.hpp"
#include "harness/codec/result_fields.hpp"
#include "harness/floor/floor_process.hpp"

namespace graphbench::codec {

template <>
struct Description<floors::FloorRequest> {
  using T = floors::FloorRequest;
  static constexpr auto fields = std::tuple(field("device", &T::device), field("complete", &T::complete),
                                            field("instruments", &T::instruments));
};

template <>
struct Description<floors::FloorAnswer> {
  using T = floors::FloorAnswer;
  static constexpr auto fields =
      std::tuple(field("failure", &T::failure), field("facts", &T::facts), field("floors", &T::floors));
};

}  // namespace graphbench::codec

namespace graphbench::floors {

std::string encode_request(const FloorRequest& request) {
  return codec::write_data(request);
}

FloorRequest decode_request(std::string_view text) {
  return codec::read_data<FloorRequest>(text, "read floor request");
}

std::string encode_answer(const FloorAnswer& answer) {
  return codec::write_data(answer);
}

FloorAnswer decode_answer(std::string_view line) {
  return codec::read_data<FloorAnswer>(line, "read floor answer");
}

}  // namespace graphbench::floors
