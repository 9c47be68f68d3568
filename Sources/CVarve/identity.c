#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#if defined(__linux__)
#include <sys/sysmacros.h>
#endif

#include "CVarve.h"

static int identity_by_stat(int directory, const char *name, varve_identity *identity) {
    struct stat status;
    if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return -1;
    identity->device = (uint64_t)status.st_dev;
    identity->inode = (uint64_t)status.st_ino;
    return 0;
}

int varve_identity_of(int directory, const char *name, varve_identity *identity) {
#if defined(__linux__) && defined(STATX_INO)
    struct statx status;
    if (statx(directory, name, AT_SYMLINK_NOFOLLOW, STATX_INO, &status) == 0) {
        identity->device = (uint64_t)makedev(status.stx_dev_major, status.stx_dev_minor);
        identity->inode = status.stx_ino;
        return 0;
    }
    // Older systems and some sandboxes have no such call.
    if (errno != ENOSYS && errno != EPERM) return -1;
#endif
    return identity_by_stat(directory, name, identity);
}
