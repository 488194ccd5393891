# Run with cmake -P by the build: the page of SOURCE, bundled in FOLDER, as the C++ source FILE made from
# TEMPLATE. The source tree is left as it is. MODE AUTO: where npm fails, FILE holds no page, and one line
# says so; ON: that is an error; OFF: FILE holds no page.
cmake_minimum_required(VERSION 3.25)

function(write_page html policy)
  string(FIND "${html}" ")page\"" end)
  if(NOT end EQUAL -1)
    message(FATAL_ERROR "web page: it holds what ends a C++ literal, )page\"")
  endif()
  set(GRAPHBENCH_PAGE_HTML "${html}")
  set(GRAPHBENCH_PAGE_POLICY "${policy}")
  configure_file("${TEMPLATE}" "${FILE}" @ONLY)
  # Of the same content it would stay older than what it is made from, and be made again in every build.
  file(TOUCH "${FILE}")
endfunction()

# What a step says goes to a log: npm is wordy, and a build without a page should say so in one line.
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

# npm runs again only where the lock file changed: a second build needs no network.
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
