// What nearly every file of core includes, compiled once. A file still includes what it uses: tools/check_includes.py looks.
#include "core/cache/cache.h"
#include "standard.h"
#include "variants.h"
