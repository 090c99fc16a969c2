// What Linux offers that Swift's Glibc overlay does not import: declarations, and macros made into functions.
// No logic lives here.
#pragma once

#ifdef __linux__

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

/// openat2(2); glibc 2.36 has no wrapper.
static inline int chost_openat2(int folder, const char *path, uint64_t flags, uint64_t resolve) {
    struct open_how how = {.flags = flags, .mode = 0, .resolve = resolve};
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

/// accept4(2), which the overlay hides behind _GNU_SOURCE.
static inline int chost_accept4(int fd, struct sockaddr *address, socklen_t *length) {
    return accept4(fd, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/// preadv2(2) with RWF_NOWAIT: bytes that the page cache holds, or EAGAIN; it never waits for the disk.
static inline ssize_t chost_pread_nowait(int fd, void *buffer, size_t count, off_t offset) {
    struct iovec one = {.iov_base = buffer, .iov_len = count};
    return preadv2(fd, &one, 1, offset, RWF_NOWAIT);
}

// The anonymous union of epoll_event as plain values.
static inline int chost_epoll_ctl(int epoll, int operation, int fd, uint32_t events, uint64_t token) {
    struct epoll_event event = {.events = events, .data = {.u64 = token}};
    return epoll_ctl(epoll, operation, fd, &event);
}
static inline uint64_t chost_epoll_token(const struct epoll_event *event) { return event->data.u64; }

#endif
