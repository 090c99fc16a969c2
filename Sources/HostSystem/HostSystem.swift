// HostSystem: the one wrapper around system calls and digests.
//
// Each call into the kernel that the store or the transport makes goes through a function here: EINTR is retried,
// errno becomes a value, a descriptor has an owner. It must not know of HTTP, models, event loops or policies:
// what an error means is decided by the caller.
