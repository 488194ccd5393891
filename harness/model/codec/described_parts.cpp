// Instantiates the templates for described data that several files use, so that each is compiled once.
#include "harness/model/codec/result_fields.hpp"

namespace graphbench::codec {

template void JsonWriter::put(Json&, const model::CellResult&) const;
template void JsonWriter::put(Json&, const model::DeviceFacts&) const;
template void JsonWriter::put(Json&, const model::Environment&) const;
template void JsonWriter::put(Json&, const model::WorkerTask&) const;
template void JsonReader::read(JsonWalk::Value, model::CellResult&);
template void JsonReader::read(JsonWalk::Value, model::DeviceFacts&);
template void JsonReader::read(JsonWalk::Value, model::WorkerTask&);
template bool JsonReader::read_field(std::string_view, JsonWalk::Value, model::WorkerTask&);

}  // namespace graphbench::codec
