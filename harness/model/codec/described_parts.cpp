// Instantiates the templates for described data that several files use, so that each is compiled once.
#include "harness/model/codec/result_fields.hpp"

namespace graphbench::model {

template void JsonWriter::put(Json&, const CellResult&) const;
template void JsonWriter::put(Json&, const DeviceFacts&) const;
template void JsonWriter::put(Json&, const Environment&) const;
template void JsonWriter::put(Json&, const WorkerTask&) const;
template void JsonReader::read(JsonWalk::Value, CellResult&);
template void JsonReader::read(JsonWalk::Value, DeviceFacts&);
template void JsonReader::read(JsonWalk::Value, WorkerTask&);
template bool JsonReader::read_field(std::string_view, JsonWalk::Value, WorkerTask&);

}  // namespace graphbench::model
