// What Linux offers that Swift's Glibc overlay does not import: declarations, and macros made into functions.
// No logic lives here.
//
// This header must not define _GNU_SOURCE: the overlay was built without it, and a second definition of the same libc
// types (fd_set) is refused by the compiler. Calls that need it are declared here and defined in CHostLinux.c.
#pragma once

#ifdef __linux__

#include <linux/openat2.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/un.h>

/// openat2(2) for reading; glibc 2.36 has no wrapper.
int chost_openat2(int folder, const char *path, uint64_t flags, uint64_t resolve);

/// accept4(2) with SOCK_NONBLOCK and SOCK_CLOEXEC.
int chost_accept(int fd, struct sockaddr *address, socklen_t *length);

/// preadv2(2) with RWF_NOWAIT: octets that the page cache holds, or EAGAIN; it never waits for the disk.
ssize_t chost_pread_nowait(int fd, void *buffer, size_t count, off_t offset);

/// The message for an error number, from strerror_r(3) as POSIX has it.
void chost_error_text(int number, char *buffer, size_t size);

/// pthread_setname_np(3) on the calling thread; at most 15 characters.
void chost_name_thread(const char *name);

/// renameat2(2) with RENAME_NOREPLACE: EEXIST where something stands at the new name.
int chost_rename_new(int old_folder, const char *old_name, int new_folder, const char *new_name);

/// ioctl(FICLONE): `target` shares the blocks of `source` from now on, each with its own content when written to.
int chost_clone_file(int target, int source);

/// sync_file_range(2) with SYNC_FILE_RANGE_WRITE: the disk is told to begin with these octets; nobody waits for it.
int chost_start_writing_back(int fd, off_t offset, off_t count);

// The anonymous union of epoll_event as plain values.
static inline int chost_epoll_ctl(int epoll, int operation, int fd, uint32_t events, uint64_t token) {
    struct epoll_event event = {.events = events, .data = {.u64 = token}};
    return epoll_ctl(epoll, operation, fd, &event);
}
static inline uint64_t chost_epoll_token(const struct epoll_event *event) { return event->data.u64; }

#endif
