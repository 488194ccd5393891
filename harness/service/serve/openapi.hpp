// The description of the API, reporters/schema/openapi.json, built in so that it is the running service's.
#pragma once

namespace graphbench::serve {

extern const char* const openapi_document;

}  // namespace graphbench::serve
