#define _DEFAULT_SOURCE

#include "CVarve.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

void varve_advise_huge_pages(void *address, size_t count) {
#ifdef MADV_HUGEPAGE
    // A hint: a kernel that refuses it backs the memory by small pages, as before.
    (void)madvise(address, count, MADV_HUGEPAGE);
#else
    (void)address;
    (void)count;
#endif
}
