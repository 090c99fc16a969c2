// What ThreadSanitizer cannot see of Swift's Mutex on Linux, told to it.
//
// Synchronization.Mutex is a futex. Its short ways, one atomic exchange each, are compiled into the code that uses it,
// where ThreadSanitizer sees them. Where a thread has to wait, or to wake one, they go on in three functions of
// libswiftSynchronization.so, which is not built for ThreadSanitizer: a thread that waited comes back with the lock, and
// in the sanitizer's eyes without any order to who held it before, so that whatever the lock guards looks like a race.
// Preloaded, this stands before the three and says what they do. Nothing is suppressed: what no lock guards is found as
// before, and planted_races.sh proves it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

// In every program that is built with ThreadSanitizer; absent from others, which then run as they are.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

// Methods of Synchronization._MutexHandle, whose address is that of the futex word.
#define METHOD(name) "$s15Synchronization12_MutexHandleV" name
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *handle

typedef SWIFT void (*lock_method)(uint32_t thread, SELF);
typedef SWIFT bool (*try_method)(SELF);
typedef SWIFT void (*unlock_method)(SELF);

static void *behind(const char *symbol) {
    void *method = dlsym(RTLD_NEXT, symbol);
    // Called, and not there: the library is another one than this was written for.
    if (!method) abort();
    return method;
}

// _lockSlow(UInt32) -> ()
SWIFT void lock_slow(uint32_t thread, SELF) __asm__(METHOD("9_lockSlowyys6UInt32VF"));
SWIFT void lock_slow(uint32_t thread, SELF) {
    ((lock_method)behind(METHOD("9_lockSlowyys6UInt32VF")))(thread, handle);
    if (__tsan_acquire) __tsan_acquire(handle);
}

// _tryLockSlow() -> Bool
SWIFT bool try_lock_slow(SELF) __asm__(METHOD("12_tryLockSlowSbyF"));
SWIFT bool try_lock_slow(SELF) {
    bool locked = ((try_method)behind(METHOD("12_tryLockSlowSbyF")))(handle);
    if (locked && __tsan_acquire) __tsan_acquire(handle);
    return locked;
}

// _unlockSlow() -> ()
SWIFT void unlock_slow(SELF) __asm__(METHOD("11_unlockSlowyyF"));
SWIFT void unlock_slow(SELF) {
    if (__tsan_release) __tsan_release(handle);
    ((unlock_method)behind(METHOD("11_unlockSlowyyF")))(handle);
}
