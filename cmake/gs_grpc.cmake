# gs_grpc_library(NAME kubelet_proto PROTO pod_resources.proto): messages and services of a .proto file of this folder, in a
# library of their own, so that nothing else compiles generated code. Its headers are <pod_resources.grpc.pb.h> and the like.
find_package(Protobuf REQUIRED)
find_program(GS_GRPC_CPP_PLUGIN grpc_cpp_plugin REQUIRED)
set(GS_GRPC_LIBRARIES "")
foreach(name grpc++ grpc gpr absl_synchronization)
  find_library(GS_LIB_${name} ${name} REQUIRED)
  list(APPEND GS_GRPC_LIBRARIES ${GS_LIB_${name}})
endforeach()

function(gs_grpc_library)
  cmake_parse_arguments(ARG "" "NAME;PROTO" "" ${ARGN})
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/generated)
  file(MAKE_DIRECTORY ${generated})
  string(REGEX REPLACE "\\.proto$" "" stem ${ARG_PROTO})
  set(sources ${generated}/${stem}.pb.cc ${generated}/${stem}.grpc.pb.cc)
  add_custom_command(OUTPUT ${sources} ${generated}/${stem}.pb.h ${generated}/${stem}.grpc.pb.h VERBATIM
    COMMAND protobuf::protoc --cpp_out=${generated} --grpc_out=${generated}
      --plugin=protoc-gen-grpc=${GS_GRPC_CPP_PLUGIN} -I ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_PROTO}
    DEPENDS ${ARG_PROTO})
  set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS -w)
  gs_library(NAME ${ARG_NAME} LAYER adapters SRCS ${sources} LIBS protobuf::libprotobuf ${GS_GRPC_LIBRARIES})
  target_include_directories(gs_${ARG_NAME} SYSTEM PUBLIC ${generated})
endfunction()
