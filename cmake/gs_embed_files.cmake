# gs_embed_files(name.cc FILE...): writes name.cc from name.cc.in of this folder, where @GS_EMBEDDED_FILES@ stands for the files, by
# their path in the project and with their text, so that a program carries them with it.
function(gs_embed_files source)
  set(GS_EMBEDDED_FILES "")
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${file})
    file(READ ${CMAKE_SOURCE_DIR}/${file} text)
    string(APPEND GS_EMBEDDED_FILES "    File{\"${file}\", R\"embedded(${text})embedded\"},\n")
  endforeach()
  configure_file(${source}.in ${source} @ONLY)
endfunction()
