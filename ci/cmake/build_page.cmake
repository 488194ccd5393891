# The build runs this script with cmake -P. Bundles the page of SOURCE in FOLDER and writes the C++ source
# FILE from TEMPLATE, without changes to SOURCE. If npm fails, MODE AUTO prints one line and writes a FILE
# without a page, and ON is an error. With OFF, FILE contains no page.
cmake_minimum_required(VERSION 3.25)

function(write_page html policy)
  string(FIND "${html}" ")page\"" end)
  if(NOT end EQUAL -1)
    message(FATAL_ERROR "web page: it holds what ends a C++ literal, )page\"")
  endif()
  set(GRAPHBENCH_PAGE_HTML "${html}")
  set(GRAPHBENCH_PAGE_POLICY "${policy}")
  configure_file("${TEMPLATE}" "${FILE}" @ONLY)
  # configure_file() does not touch a FILE of equal content; without this call every build would make it
  # again.
  file(TOUCH "${FILE}")
endfunction()

# The output of each command goes to a log, because npm prints a lot, and one line must explain a build
# without a page.
function(run_step name)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${FOLDER}" RESULT_VARIABLE code
    OUTPUT_FILE "${FOLDER}/${name}.log" ERROR_FILE "${FOLDER}/${name}.log")
  if(code EQUAL 0)
    return()
  endif()
  if(MODE STREQUAL "ON")
    file(READ "${FOLDER}/${name}.log" said)
    message(FATAL_ERROR "web page: ${name} failed (${code}):\n${said}")
  endif()
  message(NOTICE "web page: not built in, ${name} failed (${FOLDER}/${name}.log); "
    "-DGRAPHBENCH_PAGE=ON tries again")
  set(failed ON PARENT_SCOPE)
endfunction()

set(failed OFF)
if(MODE STREQUAL "OFF")
  write_page("" "")
  return()
endif()

file(MAKE_DIRECTORY "${FOLDER}")
file(GLOB parts "${SOURCE}/*.mjs" "${SOURCE}/page.html" "${SOURCE}/style.css" "${SOURCE}/icon.svg"
  "${SOURCE}/package*.json" "${SOURCE}/.npmrc")
file(COPY ${parts} DESTINATION "${FOLDER}")

# npm runs again only if the lock file changed, so a second build needs no network.
file(SHA256 "${SOURCE}/package-lock.json" lock)
set(installed "")
if(EXISTS "${FOLDER}/installed.sha256")
  file(READ "${FOLDER}/installed.sha256" installed)
endif()
if(NOT installed STREQUAL lock)
  file(REMOVE "${FOLDER}/installed.sha256")
  run_step(npm-ci "${NPM}" ci --prefer-offline --ignore-scripts --no-audit --no-fund --fetch-retries=1
    --fetch-timeout=30000)
  if(failed)
    write_page("" "")
    return()
  endif()
  file(WRITE "${FOLDER}/installed.sha256" "${lock}")
endif()

file(MAKE_DIRECTORY "${FOLDER}/bundle")
run_step(bundle "${NODE}" bundle.mjs "${FOLDER}/bundle")
if(failed)
  write_page("" "")
  return()
endif()
file(READ "${FOLDER}/bundle/page.policy" policy)
file(READ "${FOLDER}/bundle/page.html" html)
write_page("${html}" "${policy}")
