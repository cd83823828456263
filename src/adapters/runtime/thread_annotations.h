// What clang's thread-safety analysis is told: which mutex guards a field, and which function needs
// it held. Other compilers see nothing. Macros, because attributes of one compiler need a name that
// can be empty for the others.
#pragma once

#if defined(__clang__)
#define GS_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define GS_THREAD_ATTRIBUTE(x)
#endif

// On a class that is a lock, and on a class that holds one for the length of a scope.
#define GS_CAPABILITY(name) GS_THREAD_ATTRIBUTE(capability(name))
#define GS_SCOPED_CAPABILITY GS_THREAD_ATTRIBUTE(scoped_lockable)

// On a field: only to be touched while the mutex is held.
#define GS_GUARDED_BY(mutex) GS_THREAD_ATTRIBUTE(guarded_by(mutex))

// On a function: what the caller must hold, what it must not hold, and what the call changes.
#define GS_REQUIRES(...) GS_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define GS_EXCLUDES(...) GS_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))
#define GS_ACQUIRE(...) GS_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define GS_RELEASE(...) GS_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
