#include "CVarve.h"

#if defined(__linux__)
#include <linux/fs.h>
#include <sys/ioctl.h>

int varve_clone(int file, int source) { return ioctl(file, FICLONE, source) == 0; }
#else
int varve_clone(int file, int source) {
    (void)file;
    (void)source;
    return 0;
}
#endif
