// The JSON form of the floor process's question and answer.
#include "harness/measure/floor/floor_process.hpp"
#include "harness/model/codec/messages.hpp"
#include "harness/model/codec/result_fields.hpp"

namespace graphbench::codec {

GB_DESCRIBE(floors::FloorRequest, device, complete, instruments);
GB_DESCRIBE(floors::FloorAnswer, failure, bad_input, facts, floors);

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
