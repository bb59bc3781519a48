/* A bot that works in its opponent's turns, as far as it is let: `thief WAY [NUMBER]`. It plays its
 * first legal pit at once, and the NUMBER of children that it starts at its first move try to go on
 * for ever.
 *
 *   preadv    children that sit in one long system call after another: a large sparse file of its own
 *   threads   the same in threads
 *   timer     children that compute, and that set timers to wake them with SIGCONT: refused
 *   notice    the same, woken by the referee's own reading of what it wrote to standard error: refused
 *   group     children that compute in process groups of their own
 *   daemon    children of children that have ended, each in a session of its own if it gets one
 *   short     a child that starts another before it ends, all of them short-lived
 *   works     nothing of that: an honest bot that computes for NUMBER ms of CPU time at each move
 *   worker    the same in another thread than its first
 *   library   an honest bot with NUMBER threads that never sleep, as some libraries have
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { PARTS = 400, LIFE = 60 };

static void compute(void) {
    for (volatile unsigned long i = 0;; i++) {}
}

/* Reads holes into the same room again and again: all time, no memory. */
static void *read_long(void *unused) {
    int file = open("holes", O_RDONLY);
    size_t part = 1UL << 20;
    char *room = mmap(NULL, part, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct iovec parts[PARTS];
    for (int i = 0; i < PARTS; i++) parts[i] = (struct iovec){room, part};
    while (file >= 0) preadv(file, parts, PARTS, 0);
    return unused;
}

static void heard(int signal) { (void)signal; }

/* Stopping takes back what is pending, and a timer is armed again only when its signal was taken:
 * so there are many, each for one moment. */
static void wake(void) {
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGCONT};
    signal(SIGCONT, heard);
    for (long ms = 2; ms < 6000; ms += 2) {
        timer_t timer;
        struct itimerspec once = {{0, 0}, {ms / 1000, ms % 1000 * 1000000}};
        if (timer_create(CLOCK_MONOTONIC, &event, &timer)) break;
        timer_settime(timer, 0, &once, NULL);
    }
    compute();
}

/* Asks for a signal to everybody each time that its standard error can be written again. */
static void ask_for_notice(void) {
    fcntl(2, F_SETPIPE_SZ, 1 << 20);
    fcntl(2, F_SETSIG, SIGCONT);
    fcntl(2, F_SETOWN, -getpgrp());
    fcntl(2, F_SETFL, fcntl(2, F_GETFL) | O_ASYNC | O_NONBLOCK);
}

/* So much that the referee still reads when everybody is stopped. */
static void fill_error(void) {
    static char bytes[400 << 10];
    ssize_t written = write(2, bytes, sizeof bytes);
    (void)written;
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

static void *work(void *ms) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    long end = now.tv_sec * 1000000000 + now.tv_nsec + *(int *)ms * 1000000L;
    do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while (now.tv_sec * 1000000000 + now.tv_nsec < end);
    return NULL;
}

static void *spin(void *unused) {
    compute();
    return unused;
}

static void start(const char *way, int children) {
    if (!strcmp(way, "notice")) ask_for_notice();
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
        if (!strcmp(way, "short") || !strcmp(way, "notice")) relay();
        compute();
    }
}

int main(int count, char **words) {
    const char *way = count > 1 ? words[1] : "works";
    int number = count > 2 ? atoi(words[2]) : 4, started = 0;
    char line[1 << 16];
    setvbuf(stdout, NULL, _IOLBF, 0);
    signal(SIGCHLD, SIG_IGN);
    for (int i = 0; i < number && !strcmp(way, "library"); i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, spin, NULL);
    }
    while (fgets(line, sizeof line, stdin)) {
        char *legal = strstr(line, "\"legal\":[");
        if (legal) {
            if (!strcmp(way, "works")) {
                work(&number);
            } else if (!strcmp(way, "worker")) {
                pthread_t thread;
                if (!pthread_create(&thread, NULL, work, &number)) pthread_join(thread, NULL);
            } else if (strcmp(way, "library") && !started++) {
                start(way, number);
            }
            if (!strcmp(way, "notice")) fill_error();
            printf("{\"type\":\"move\",\"pit\":%c}\n", legal[9]);
        } else if (strstr(line, "\"hello\"") || strstr(line, "\"new-game\"")) {
            puts("{\"type\":\"ready\"}");
        } else if (strstr(line, "\"quit\"")) {
            break;
        }
    }
    return 0;
}
