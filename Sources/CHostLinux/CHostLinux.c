#ifdef __linux__
#define _GNU_SOURCE 1

#include "CHostLinux.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int chost_openat2(int folder, const char *path, uint64_t flags, uint64_t resolve) {
    struct open_how how = {.flags = flags, .mode = 0, .resolve = resolve};
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

int chost_accept(int fd, struct sockaddr *address, socklen_t *length) {
    return accept4(fd, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

ssize_t chost_pread_nowait(int fd, void *buffer, size_t count, off_t offset) {
    struct iovec one = {.iov_base = buffer, .iov_len = count};
    return preadv2(fd, &one, 1, offset, RWF_NOWAIT);
}

void chost_error_text(int number, char *buffer, size_t size) {
    // The GNU strerror_r may return a constant instead of filling the buffer.
    snprintf(buffer, size, "%s", strerror_r(number, buffer, size));
}

void chost_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

int chost_rename_new(int old_folder, const char *old_name, int new_folder, const char *new_name) {
    return renameat2(old_folder, old_name, new_folder, new_name, RENAME_NOREPLACE);
}

int chost_clone_file(int target, int source) { return ioctl(target, FICLONE, source); }

int chost_start_writing_back(int fd, off_t offset, off_t count) {
    return sync_file_range(fd, offset, count, SYNC_FILE_RANGE_WRITE);
}

#endif
