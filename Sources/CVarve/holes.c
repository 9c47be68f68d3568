#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <unistd.h>

#include "CVarve.h"

int64_t varve_content_start(int file, int64_t offset) {
#if defined(SEEK_DATA)
    off_t found = lseek(file, (off_t)offset, SEEK_DATA);
    if (found >= 0) return found;
    if (errno == ENXIO) return -1;
#endif
    // What is not known may be anything.
    return offset;
}
