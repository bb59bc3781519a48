/* A bot that works in its opponent's turns, as far as it is let: `thief WAY [CHILDREN]`. It plays its
 * first legal pit at once, and what it starts at its first move tries to go on for ever.
 *
 *   preadv    children that sit in one long system call after another: 2 GiB from a sparse memfd
 *   threads   the same in threads
 *   timer     children that compute, and that a timer wakes with SIGCONT when they are stopped
 *   group     children that compute in process groups of their own
 *   daemon    children of children that have ended, each in a session of its own if it gets one
 *   short     a child that starts another before it ends, all of them short-lived
 *   honest    nothing
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { GIB = 1 << 30, LIFE = 60 };

static void compute(void) {
    for (volatile unsigned long i = 0;; i++) {}
}

/* Reads holes into one page that is mapped again and again: all time, no memory. */
static void *read_long(void *unused) {
    int file = memfd_create("holes", 0);
    if (file < 0 || ftruncate(file, 2UL * GIB)) return unused;
    size_t part = 64UL << 20;
    char *room = mmap(NULL, part, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct iovec parts[32];
    for (int i = 0; i < 32; i++) parts[i] = (struct iovec){room, part};
    for (;;) preadv(file, parts, 32, 0);
}

static void heard(int signal) { (void)signal; }

/* A timer whose signal has a handler is armed again each time. */
static void wake(void) {
    timer_t timer;
    signal(SIGCONT, heard);
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGCONT};
    struct itimerspec each = {{0, 1000000}, {0, 1000000}};
    if (!timer_create(CLOCK_MONOTONIC, &event, &timer)) timer_settime(timer, 0, &each, NULL);
    compute();
}

static void relay(void) {
    for (;;) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        long end = now.tv_sec * 1000000000 + now.tv_nsec + 3000000;
        do clock_gettime(CLOCK_MONOTONIC, &now);
        while (now.tv_sec * 1000000000 + now.tv_nsec < end);
        if (fork() > 0) _exit(0);
    }
}

static void start(const char *way, int children) {
    for (int i = 0; i < children; i++) {
        if (!strcmp(way, "threads")) {
            pthread_t thread;
            pthread_create(&thread, NULL, read_long, NULL);
            continue;
        }
        if (fork()) continue;
        alarm(LIFE);
        if (!strcmp(way, "daemon") && fork()) _exit(0);
        if (!strcmp(way, "group") || !strcmp(way, "daemon")) {
            setpgid(0, 0);
            setsid();
        }
        if (!strcmp(way, "preadv")) read_long(NULL);
        if (!strcmp(way, "timer")) wake();
        if (!strcmp(way, "short")) relay();
        compute();
    }
}

int main(int count, char **words) {
    const char *way = count > 1 ? words[1] : "honest";
    int children = count > 2 ? atoi(words[2]) : 4, started = 0;
    char line[1 << 16];
    setvbuf(stdout, NULL, _IOLBF, 0);
    signal(SIGCHLD, SIG_IGN);
    while (fgets(line, sizeof line, stdin)) {
        char *legal = strstr(line, "\"legal\":[");
        if (legal) {
            if (!started++ && strncmp(way, "honest", 6)) start(way, children);
            printf("{\"type\":\"move\",\"pit\":%c}\n", legal[9]);
        } else if (strstr(line, "\"hello\"") || strstr(line, "\"new-game\"")) {
            puts("{\"type\":\"ready\"}");
        } else if (strstr(line, "\"quit\"")) {
            break;
        }
    }
    return 0;
}
