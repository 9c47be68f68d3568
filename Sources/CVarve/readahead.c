#if defined(__linux__)
#define _GNU_SOURCE
#endif
#if defined(__linux__) || defined(__APPLE__)
#include <fcntl.h>
#endif

#include "CVarve.h"

void varve_read_ahead(int file, int64_t offset, size_t count) {
#if defined(__linux__)
    (void)posix_fadvise(file, (off_t)offset, (off_t)count, POSIX_FADV_WILLNEED);
#elif defined(__APPLE__)
    struct radvisory advice = {(off_t)offset, (int)count};
    (void)fcntl(file, F_RDADVISE, &advice);
#else
    (void)file, (void)offset, (void)count;
#endif
}
