# Source files of one target are compiled several at a time, which reads the headers they share once. tools/unity_groups.py says
# which files of a folder can stand beside each other without seeing each other's private names. GS_UNITY is off where each
# file has to show that it includes what it uses.
set(GS_UNITY_FILES 8)  # at most; more would make a change of one file slow to compile

if(GS_UNITY)
  find_program(GS_PYTHON python3 REQUIRED)
  execute_process(COMMAND ${GS_PYTHON} ${CMAKE_SOURCE_DIR}/tools/unity_groups.py ${CMAKE_BINARY_DIR}/unity/groups.cmake
    ${CMAKE_SOURCE_DIR} COMMAND_ERROR_IS_FATAL ANY)
  include(${CMAKE_BINARY_DIR}/unity/groups.cmake)
  # A new private name in a file can change the groups.
  file(GLOB_RECURSE gs_sources ${CMAKE_SOURCE_DIR}/src/*.cc ${CMAKE_SOURCE_DIR}/tests/*.cc ${CMAKE_SOURCE_DIR}/bench/*.cc)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${gs_sources})
endif()

# Sets `result` to what to compile: the file itself, or one that includes all of them.
function(gs_unity_file target group result)
  list(LENGTH ARGN count)
  if(count EQUAL 1)
    set(${result} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  # Paths relative to the file, so that it has the same text in every checkout and ccache finds what it became.
  set(unity ${CMAKE_BINARY_DIR}/unity/${target}_${group}.cc)
  set(text "")
  foreach(source IN LISTS ARGN)
    file(RELATIVE_PATH path ${CMAKE_BINARY_DIR}/unity ${CMAKE_CURRENT_SOURCE_DIR}/${source})
    string(APPEND text "#include \"${path}\"\n")
  endforeach()
  file(CONFIGURE OUTPUT ${unity} CONTENT "${text}" @ONLY)
  set(${result} ${unity} PARENT_SCOPE)
endfunction()

# gs_unity(target result a.cc b.cc …): sets `result` to the files to compile. Generated files, and files with GS_ALONE,
# stay as they are.
function(gs_unity target result)
  if(NOT GS_UNITY)
    set(${result} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  set(units "")
  set(groups "")
  foreach(source IN LISTS ARGN)
    get_source_file_property(is_alone ${source} GS_ALONE)
    set(group "${GS_UNITY_GROUP_${folder}/${source}}")
    if(is_alone OR group STREQUAL "")
      list(APPEND units ${source})
      continue()
    endif()
    list(APPEND groups ${group})
    list(APPEND members_${group} ${source})
  endforeach()
  list(REMOVE_DUPLICATES groups)
  foreach(group IN LISTS groups)
    set(part 0)
    while(members_${group})
      list(SUBLIST members_${group} 0 ${GS_UNITY_FILES} members)
      list(REMOVE_ITEM members_${group} ${members})
      gs_unity_file(${target} ${group}_${part} unit ${members})
      list(APPEND units ${unit})
      math(EXPR part "${part} + 1")
    endwhile()
  endforeach()
  set(${result} ${units} PARENT_SCOPE)
endfunction()
