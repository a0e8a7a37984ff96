/*
 * Moves the system's clock for a program:   LD_PRELOAD=clock.so CLOCK_AHEAD=SECONDS program
 *
 * It adds the seconds to the time of day that a program reads. Monotonic clocks and the times of files stay as they are. It has
 * no state that programs share, so that one which is killed at any moment leaves nothing behind that others wait for.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long ahead(void) {
  static long seconds = -1;
  if (seconds < 0) {
    const char *text = getenv("CLOCK_AHEAD");
    seconds = text ? atol(text) : 0;
  }
  return seconds;
}

static int is_time_of_day(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE; }

int clock_gettime(clockid_t clock, struct timespec *time) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
  int result = real ? real(clock, time) : (int)syscall(SYS_clock_gettime, clock, time);
  if (result == 0 && is_time_of_day(clock)) time->tv_sec += ahead();
  return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  (void)zone;
  struct timespec now;
  int result = clock_gettime(CLOCK_REALTIME, &now);
  if (result == 0) {
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
  }
  return result;
}

time_t time(time_t *stored) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (stored) *stored = now.tv_sec;
  return now.tv_sec;
}

int timespec_get(struct timespec *time, int base) { return clock_gettime(CLOCK_REALTIME, time) == 0 ? base : 0; }

/* The kernel knows the real time only, so a deadline that a program computed with the moved clock is moved back. */
static const struct timespec *deadline(const struct timespec *given, struct timespec *moved) {
  struct timespec now;
  syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
  if (given->tv_sec < now.tv_sec + ahead() / 2) return given;
  *moved = *given;
  moved->tv_sec -= ahead();
  return moved;
}

int sem_timedwait(sem_t *semaphore, const struct timespec *until) {
  static int (*real)(sem_t *, const struct timespec *);
  if (!real) real = dlsym(RTLD_NEXT, "sem_timedwait");
  struct timespec moved;
  return real(semaphore, deadline(until, &moved));
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until) {
  static int (*real)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
  /* Without a version, dlsym() may return the function that is kept for programs of 2002, whose conditions differ. */
  if (!real) real = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
  if (!real) real = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
  struct timespec moved;
  return real(condition, mutex, deadline(until, &moved));
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until) {
  static int (*real)(pthread_mutex_t *, const struct timespec *);
  if (!real) real = dlsym(RTLD_NEXT, "pthread_mutex_timedlock");
  struct timespec moved;
  return real(mutex, deadline(until, &moved));
}
