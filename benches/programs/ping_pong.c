/*
 * The bare exchange: what a ply costs the machine without any referee. Two processes on one core
 * send each other lines through pipes: one of 260 bytes, as long as a turn's request, and an answer
 * of 24 bytes. Both block in read and write; nothing is parsed, timed or limited.
 *
 * usage: ping_pong EXCHANGES [CORE]
 * prints the nanoseconds of one exchange
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { REQUEST_BYTES = 260, ANSWER_BYTES = 24 };

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static void write_all(int pipe, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(pipe, bytes, length);
        if (written < 0)
            fail("cannot write to the other process");
        bytes += written;
        length -= (size_t)written;
    }
}

/* Reads until a newline; returns 0 at the end of the pipe. */
static int read_line(int pipe, char *line, size_t size)
{
    size_t length = 0;
    while (length == 0 || line[length - 1] != '\n') {
        ssize_t count = read(pipe, line + length, size - length);
        if (count < 0)
            fail("cannot read from the other process");
        if (count == 0)
            return 0;
        length += (size_t)count;
    }
    return 1;
}

static void answer(int input, int output)
{
    char request[2 * REQUEST_BYTES], line[ANSWER_BYTES];
    memset(line, 'a', sizeof line);
    line[sizeof line - 1] = '\n';
    while (read_line(input, request, sizeof request))
        write_all(output, line, sizeof line);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int count, char **arguments)
{
    if (count < 2) {
        fprintf(stderr, "usage: ping_pong EXCHANGES [CORE]\n");
        return 2;
    }
    long exchanges = atol(arguments[1]);
    cpu_set_t core;
    CPU_ZERO(&core);
    CPU_SET(count > 2 ? atoi(arguments[2]) : 0, &core);
    if (sched_setaffinity(0, sizeof core, &core) != 0)
        fail("cannot stay on one core");
    int requests[2], answers[2];
    if (pipe(requests) != 0 || pipe(answers) != 0)
        fail("cannot make pipes");
    pid_t child = fork();
    if (child < 0)
        fail("cannot start the other process");
    if (child == 0) {
        close(requests[1]);
        close(answers[0]);
        answer(requests[0], answers[1]);
        _exit(0);
    }
    close(requests[0]);
    close(answers[1]);
    char request[REQUEST_BYTES], line[2 * ANSWER_BYTES];
    memset(request, 'r', sizeof request);
    request[sizeof request - 1] = '\n';
    double started = seconds();
    for (long i = 0; i < exchanges; i++) {
        write_all(requests[1], request, sizeof request);
        if (!read_line(answers[0], line, sizeof line))
            return 1;
    }
    printf("%.1f\n", (seconds() - started) * 1e9 / (double)exchanges);
    close(requests[1]);
    waitpid(child, NULL, 0);
    return 0;
}
