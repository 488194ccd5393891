# The service's web page: npm bundles dashboards/page into one file, which is embedded in the binary. Sets
# GRAPHBENCH_HAVE_PAGE and prints the result; fails only if the user asked for the page by name.
set(GRAPHBENCH_PAGE AUTO CACHE STRING
  "Build the service's web page: AUTO (where npm is found and works), ON, OFF")
if(NOT GRAPHBENCH_PAGE MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "GRAPHBENCH_PAGE=${GRAPHBENCH_PAGE}: give AUTO, ON or OFF")
endif()
set(GRAPHBENCH_HAVE_PAGE OFF)
if(NOT GRAPHBENCH_PAGE STREQUAL "OFF")
  find_program(GRAPHBENCH_NODE NAMES node nodejs)
  find_program(GRAPHBENCH_NPM NAMES npm)
  if(GRAPHBENCH_NODE AND GRAPHBENCH_NPM)
    set(GRAPHBENCH_HAVE_PAGE ON)
    message(STATUS "Web page: built with ${GRAPHBENCH_NPM}")
  elseif(GRAPHBENCH_PAGE STREQUAL "ON")
    message(FATAL_ERROR
      "GRAPHBENCH_PAGE=ON, but node or npm was not found: install nodejs (18 or newer) and npm")
  else()
    message(STATUS "Web page: not built, node or npm was not found; the service has its API alone")
  endif()
endif()

# graphbench_page_source(<file>): makes the C++ source that contains the page, in a folder beside <file>. If
# the page is not built, the source contains no page.
function(graphbench_page_source file)
  set(source "${PROJECT_SOURCE_DIR}/dashboards/page")
  set(script "${PROJECT_SOURCE_DIR}/ci/cmake/build_page.cmake")
  set(template "${PROJECT_SOURCE_DIR}/harness/service/serve/built_in_page.cpp.in")
  set(mode "${GRAPHBENCH_PAGE}")
  if(NOT GRAPHBENCH_HAVE_PAGE)
    set(mode OFF)
  endif()
  file(GLOB parts CONFIGURE_DEPENDS "${source}/*.mjs" "${source}/page.html" "${source}/style.css"
    "${source}/icon.svg" "${source}/package*.json" "${source}/.npmrc")
  add_custom_command(OUTPUT "${file}"
    COMMAND "${CMAKE_COMMAND}" -DMODE=${mode} "-DSOURCE=${source}" "-DTEMPLATE=${template}" "-DFILE=${file}"
      "-DFOLDER=${CMAKE_BINARY_DIR}/dashboards/page" "-DNODE=${GRAPHBENCH_NODE}" "-DNPM=${GRAPHBENCH_NPM}"
      -P "${script}"
    DEPENDS ${parts} "${script}" "${template}"
    COMMENT "Bundling the web page" VERBATIM)
endfunction()
