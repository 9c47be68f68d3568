#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <stdio.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "CVarve.h"

#if defined(__linux__) && !defined(RENAME_NOREPLACE)
#define RENAME_NOREPLACE 1
#endif

int varve_rename_to_new(int directory, const char *name, int new_directory, const char *new_name) {
#if defined(__linux__) && defined(SYS_renameat2)
    return (int)syscall(SYS_renameat2, directory, name, new_directory, new_name, RENAME_NOREPLACE);
#elif defined(__APPLE__)
    return renameatx_np(directory, name, new_directory, new_name, RENAME_EXCL);
#else
    (void)directory;
    (void)name;
    (void)new_directory;
    (void)new_name;
    errno = ENOSYS;
    return -1;
#endif
}
