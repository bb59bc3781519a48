/* A hostile bot in C: `attacks DEED`. Honest until its second own move, then does its deed; some deeds
 * come before it has read a byte. Says on standard error what that gave, as villain.py does. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Bounds of every bomb: how many, how long each lives (ms), how many MiB, how many empty files. */
enum { BOMB = 300, LIFE = 2000, MEGABYTES = 1024, NAMES = 1000000 };

static void rest(long ms) {
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

/* What a call gave: -1 is a refusal, all else a gain. */
static void judge(const char *name, long result) {
    if (result == -1)
        fprintf(stderr, "tried %s\nrefused %s: %s\n", name, name, strerror(errno));
    else
        fprintf(stderr, "tried %s\nGAINED %s: %ld\n", name, name, result);
}

static void *sleeper(void *unused) {
    rest(LIFE);
    return unused;
}

static void thread_bomb(void) {
    int made = 0;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    pthread_attr_setdetachstate(&small, PTHREAD_CREATE_DETACHED);
    fprintf(stderr, "tried a thread bomb\n");
    for (; made < BOMB; made++) {
        pthread_t thread;
        if (pthread_create(&thread, &small, sleeper, NULL)) break;
    }
    fprintf(stderr, made > 64 ? "GAINED %d threads\n" : "refused after %d threads\n", made);
}

/* Before the first byte is read: nothing of the box may still need a process. */
static void burst(void) {
    int made = 0;
    for (; made < BOMB; made++) {
        pid_t child = fork();
        if (child == 0) {
            close(0), close(1), close(2);
            rest(LIFE);
            _exit(0);
        }
        if (child < 0) break;
    }
    fprintf(stderr, "tried a burst\n");
    fprintf(stderr, made > 64 ? "GAINED %d processes\n" : "refused after %d processes\n", made);
}

/* Each child has two: 2^8 in all, if it is not stopped. */
static void fork_tree(void) {
    fprintf(stderr, "tried a tree of forks\n");
    if (fork() == 0) {
        for (int depth = 0; depth < 7; depth++) fork();
        rest(LIFE);
        _exit(0);
    }
    rest(50);
}

/* Nearly no memory of its own, all of it in a file in memory, and no wish to be killed first: the
 * kernel, out of memory, looks for somebody larger. */
static void hidden_memory(void) {
    static char block[1 << 20];
    int score = open("/proc/self/oom_score_adj", O_WRONLY);
    fprintf(stderr, "tried to hide memory\n");
    if (score < 0 || write(score, "0", 1) != 1) fprintf(stderr, "refused a better score\n");
    memset(block, 'x', sizeof block);
    int file = -1, written = 0;
    for (; written < MEGABYTES; written++) {
        /* Many files, none of them larger than a file may be. */
        if (written % 8 == 0) file = syscall(SYS_memfd_create, "held", 0);
        if (write(file, block, sizeof block) != sizeof block) break;
    }
    fprintf(stderr, "%s %d MiB\n", written < MEGABYTES ? "refused after" : "GAINED", written);
}

/* More memory than a bot may have, and none of it on a page that its process shows. */
enum { HELD = 640, STEP = 16 };

static void hold(const char *way, int (*step)(void)) {
    int held = 0;
    fprintf(stderr, "tried to hold memory by %s\n", way);
    for (; held < HELD; held += STEP) {
        if (step()) break;
        rest(10);
    }
    if (held < HELD) fprintf(stderr, "refused after %d MiB: %s\n", held, strerror(errno));
    /* Whoever counts ten times a second has counted by then. */
    rest(500);
    if (held >= HELD) fprintf(stderr, "GAINED %d MiB\n", held);
}

static int fill_and_forget(void *pages) {
    if (pages == MAP_FAILED) return -1;
    memset(pages, 'x', STEP << 20);
    return madvise(pages, STEP << 20, MADV_DONTNEED);
}

static int shared_step(void) {
    return fill_and_forget(mmap(NULL, STEP << 20, PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS, -1, 0));
}

static int zero_step(void) {
    static int zero;
    if (zero <= 0) zero = open("/dev/zero", O_RDWR);
    return fill_and_forget(mmap(NULL, STEP << 20, PROT_READ | PROT_WRITE, MAP_SHARED, zero, 0));
}

static int segment_step(void) {
    int segment = shmget(IPC_PRIVATE, STEP << 20, 0600 | IPC_CREAT);
    void *pages = segment < 0 ? (void *)-1 : shmat(segment, NULL, 0);
    if (pages == (void *)-1) return -1;
    memset(pages, 'x', STEP << 20);
    return shmdt(pages);
}

/* A page of tables for each 2 MiB of which one byte is read: what is read is the same page always. */
static int table_step(void) {
    size_t size = (size_t)STEP << 29;
    volatile char *pages = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) return -1;
    madvise((void *)pages, size, MADV_NOHUGEPAGE);
    for (size_t at = 0; at < size; at += 1 << 21) (void)pages[at];
    return 0;
}

static void fill_and_sleep(int pairs, int ready) {
    static char block[4096];
    int both[2];
    for (; pairs > 0 && !socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, both); pairs--)
        for (int end = 0; end < 2; end++)
            while (write(both[end], block, sizeof block) > 0) {}
    close(ready);
    rest(10 * LIFE);
    _exit(0);
}

/* Waits until the child has filled them: what is said to be held is held. */
static int socket_step(void) {
    int ends[2];
    char byte;
    if (pipe(ends)) return -1;
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        fill_and_sleep(40, ends[1]);
    }
    close(ends[1]);
    ssize_t none = child < 0 ? -1 : read(ends[0], &byte, 1);
    close(ends[0]);
    return none < 0 ? -1 : 0;
}

/* Sent to itself and never received: no process has it open any more. */
static int flight_step(void) {
    static int both[2];
    char byte = 'x', space[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec text = {&byte, 1};
    struct msghdr message = {.msg_iov = &text, .msg_iovlen = 1,
                             .msg_control = space, .msg_controllen = sizeof space};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (!both[1] && socketpair(AF_UNIX, SOCK_STREAM, 0, both)) return -1;
    head->cmsg_level = SOL_SOCKET, head->cmsg_type = SCM_RIGHTS, head->cmsg_len = CMSG_LEN(sizeof(int));
    int file = syscall(SYS_memfd_create, "sent", 0);
    if (file < 0) file = open(".", O_RDONLY);
    memcpy(CMSG_DATA(head), &file, sizeof file);
    static char block[1 << 20];
    for (int i = 0; i < STEP; i++)
        if (write(file, block, sizeof block) < 0) break;
    int sent = sendmsg(both[0], &message, MSG_DONTWAIT) < 0 ? -1 : 0;
    close(file);
    return sent;
}

static void shared_pages(void) { hold("shared pages", shared_step); }
static void zero_device(void) { hold("/dev/zero", zero_step); }
static void segments(void) { hold("segments", segment_step); }
static void page_tables(void) { hold("tables of pages", table_step); }
static void full_sockets(void) { hold("sockets", socket_step); }
static void in_flight(void) { hold("files on their way", flight_step); }

/* Files that no folder shows any more: open, or mapped with one page of each. */
static void delete_and_keep(const char *way, int is_mapped) {
    static char block[1 << 20];
    const char *folder = getenv("TMPDIR");
    int kept = 0;
    fprintf(stderr, "tried to keep deleted files %s\n", way);
    for (; kept < 64; kept++) {
        char path[512];
        snprintf(path, sizeof path, "%s/deleted", folder ? folder : "/tmp");
        int file = open(path, O_CREAT | O_RDWR, 0600);
        if (file < 0 || write(file, block, sizeof block) != sizeof block) break;
        unlink(path);
        if (is_mapped) {
            mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
            close(file);
        }
        rest(20);
    }
    if (kept < 64) fprintf(stderr, "refused after %d MiB: %s\n", kept, strerror(errno));
    rest(500);
    if (kept == 64) fprintf(stderr, "GAINED %d MiB\n", kept);
}

static void deleted_files(void) { delete_and_keep("open", 0); }
static void mapped_files(void) { delete_and_keep("mapped", 1); }

/* Names without contents, which only the kernel's own memory holds. */
static void empty_files(void) {
    const char *folder = getenv("TMPDIR");
    char path[4096];
    int made = 0;
    fprintf(stderr, "tried empty files\n");
    for (; made < NAMES; made++) {
        snprintf(path, sizeof path, "%s/empty-%d", folder ? folder : "/tmp", made);
        int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
        if (file < 0) break;
        close(file);
    }
    if (made < NAMES) fprintf(stderr, "refused after %d names: %s\n", made, strerror(errno));
    else fprintf(stderr, "GAINED %d names\n", made);
}

/* Reads on when it was killed: tables of a TiB of pages in one call. */
static void *slow_reader(void *unused) {
    static char block[1 << 21];
    static struct iovec parts[1024];
    int file = open("/proc/self/pagemap", O_RDONLY);
    for (int i = 0; i < 1024; i++) parts[i].iov_base = block, parts[i].iov_len = sizeof block;
    while (preadv(file, parts, 1024, 0) > 0) {}
    return unused;
}

static void (*at_quit)(void);

static void call_slowly(void) {
    for (int i = 0; i < 8; i++) {
        pthread_t thread;
        if (!pthread_create(&thread, NULL, slow_reader, NULL)) pthread_detach(thread);
    }
    rest(60000);
}

/* Not in a game, where it would be caught at once. */
static void slow_calls(void) {
    int file = open("/proc/self/pagemap", O_RDONLY);
    fprintf(stderr, "tried a slow call\n%s\n", file < 0 ? "refused the tables" : "begins it");
    if (file >= 0) at_quit = call_slowly;
}

/* Of a process whose first thread has ended, the kernel shows no memory under its own number. */
struct deed { const char *name; void (*act)(void); int at_start; };
static int play(const struct deed *deed);

static int page_step(void) {
    char *pages = mmap(NULL, STEP << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return -1;
    memset(pages, 'x', STEP << 20);
    return 0;
}

static void pages(void) { hold("a process without a first thread", page_step); }

static void *plays_on(void *unused) {
    static const struct deed own = {"", pages, 0};
    (void)unused;
    exit(play(&own));
}

static void first_thread_ends(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, plays_on, NULL) == 0) pthread_exit(NULL);
}

static void doors(void) {
    static char page[4096];
    judge("PTRACE_SEIZE of process 1", syscall(SYS_ptrace, PTRACE_SEIZE, 1, 0, 0));
    judge("PTRACE_ATTACH to the parent", syscall(SYS_ptrace, PTRACE_ATTACH, getppid(), 0, 0));
    struct { void *at; size_t size; } own = {page, 8}, other = {page, 8};
    judge("reading memory of process 1", syscall(SYS_process_vm_readv, 1, &own, 1, &other, 1, 0));
    judge("memory of process 1 as a file", open("/proc/1/mem", O_RDWR));
    judge("descriptors of process 1", open("/proc/1/fd/0", O_RDWR));
    judge("descriptor 100 of process 1", open("/proc/1/fd/100", O_RDWR));
    judge("add_key", syscall(SYS_add_key, "user", "awale-villain", "x", 1, -3));
    judge("keyctl", syscall(SYS_keyctl, 0, -4, 1));
    judge("request_key", syscall(SYS_request_key, "user", "awale-villain", 0, -3));
    judge("a child with a descriptor", syscall(SYS_clone, SIGCHLD | CLONE_PIDFD, 0, page, 0, 0));
    judge("pidfd_open", syscall(SYS_pidfd_open, getpid(), 0));
    judge("bpf", syscall(SYS_bpf, 0, page, 128));
    judge("perf_event_open", syscall(SYS_perf_event_open, page, 0, -1, -1, 0));
    judge("userfaultfd", syscall(SYS_userfaultfd, 1));
    judge("io_uring_setup", syscall(SYS_io_uring_setup, 1, page));
    judge("fanotify_init", syscall(SYS_fanotify_init, 0x200, 0));
    judge("open by handle", syscall(SYS_open_by_handle_at, AT_FDCWD, page, 0));
    judge("setting the clock", syscall(SYS_clock_settime, CLOCK_REALTIME, NULL));
    judge("descriptors of a thread's own", syscall(SYS_close_range, 1000, 1000, 2));
    struct timespec time;
    /* In a box the parent is process 1 of it, which tells nothing of the host. */
    if (getppid() != 1)
        judge("the clock of the parent", clock_gettime(~(clockid_t)getppid() << 3 | 2, &time));
    judge("a call of tomorrow", syscall(700));
#ifdef __x86_64__
    /* The same calls by their numbers for the x32 way of calling. */
    judge("add_key by x32", syscall(0x40000000 + SYS_add_key, "user", "awale-villain", "x", 1, -3));
    judge("keyctl by x32", syscall(0x40000000 + SYS_keyctl, 0, -4, 1));
    judge("unshare by x32", syscall(0x40000000 + SYS_unshare, CLONE_NEWUSER));
    judge("io_setup by x32", syscall(0x40000000 + 543, 1, page));
#endif
}

/* Requests that the kernel works off without a look at any signal. */
static void asynchronous(void) {
    static char page[4096];
    unsigned long context = 0;
    judge("io_setup", syscall(SYS_io_setup, 64, &context));
    judge("io_submit", syscall(SYS_io_submit, context, 1, page));
    judge("io_getevents", syscall(SYS_io_getevents, context, 0, 1, page, NULL));
    judge("io_cancel", syscall(SYS_io_cancel, context, page, page));
    judge("io_destroy", syscall(SYS_io_destroy, context));
    judge("io_pgetevents", syscall(SYS_io_pgetevents, context, 0, 1, page, NULL, NULL));
    judge("io_uring_setup", syscall(SYS_io_uring_setup, 1, page));
    judge("io_uring_register", syscall(SYS_io_uring_register, 0, 0, NULL, 0));
}

/* A storm of timers, which would go on while it is stopped. */
static void timers(void) {
    int number = 0;
    judge("timer_create", syscall(SYS_timer_create, CLOCK_MONOTONIC, NULL, &number));
    judge("timer_settime", syscall(SYS_timer_settime, number, 0, NULL, NULL));
    judge("timerfd_create", syscall(SYS_timerfd_create, CLOCK_MONOTONIC, 0));
    judge("timerfd_settime", syscall(SYS_timerfd_settime, 0, 0, NULL, NULL));
    judge("signalfd4", syscall(SYS_signalfd4, -1, &number, 8, 0));
}

/* Signals that the kernel would send while the process that asked for them is stopped. */
static void wakers(void) {
    struct { int kind, process; } owner = {1, getpid()};
    int on = 1, group = -getpgrp();
    judge("F_SETSIG", fcntl(2, F_SETSIG, SIGCONT));
    judge("F_SETOWN", fcntl(2, F_SETOWN, group));
    judge("F_SETOWN_EX", fcntl(2, F_SETOWN_EX, &owner));
    judge("O_ASYNC", fcntl(2, F_SETFL, fcntl(2, F_GETFL) | O_ASYNC));
    judge("FIOASYNC", ioctl(2, FIOASYNC, &on));
    judge("FIOSETOWN", ioctl(2, 0x8901, &group));
    judge("PR_SET_PDEATHSIG", prctl(PR_SET_PDEATHSIG, SIGCONT));
    long child = syscall(SYS_clone, SIGCONT, 0, 0, 0, 0);
    if (child == 0) _exit(0);
    judge("a child whose end wakes", child);
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGCONT};
    long queue = syscall(SYS_mq_open, "awale-villain", O_RDWR | O_CREAT, 0600, NULL);
    judge("mq_notify", syscall(SYS_mq_notify, queue, &event));
}

/* What stalls on the host's disks or tells of its memory. */
static void disks(void) {
    static char page[4096];
    struct iovec { void *at; size_t size; } room = {page, 1};
    int common = open("/usr/bin/env", O_RDONLY), pipes[2];
    judge("syncfs", syscall(SYS_syncfs, common));
    judge("preadv2", syscall(SYS_preadv2, common, &room, 1, 0, 0, 8));
    judge("cachestat", syscall(451, common, page, page + 64, 0));
    judge("a handle of a file", syscall(SYS_name_to_handle_at, common, "", page, page + 512, 0x1000));
    judge("memory outside of all accounts", syscall(SYS_memfd_secret, 0));
    judge("pages of others", syscall(SYS_move_pages, 1, 1, page, NULL, page, 0));
    judge("nodes of others", syscall(SYS_migrate_pages, 1, 8, page, page));
    judge("mounts", syscall(457, page, page, sizeof page, 0));
    if (pipe(pipes) == 0) judge("tee", syscall(SYS_tee, pipes[0], pipes[1], 1, 2));
    judge("vmsplice", syscall(SYS_vmsplice, pipes[1], &room, 1, 0));
    close(common), close(pipes[0]), close(pipes[1]);
}

/* Options that change who adopts, traces or describes a process, and filters of its own. */
static void options(void) {
    judge("PR_SET_CHILD_SUBREAPER", prctl(PR_SET_CHILD_SUBREAPER, 1));
    judge("no PR_SET_CHILD_SUBREAPER", prctl(PR_SET_CHILD_SUBREAPER, 0));
    judge("PR_SET_DUMPABLE", prctl(PR_SET_DUMPABLE, 0));
    judge("PR_SET_PTRACER", prctl(0x59616d61, -1L));
    judge("PR_SET_MM", prctl(35, 1, 4096, 0, 0));
    judge("PR_SCHED_CORE", prctl(62, 1, 0, 0, 0));
    judge("PR_SET_SECCOMP", prctl(PR_SET_SECCOMP, 1));
    judge("a filter that notifies", syscall(SYS_seccomp, 1, 8, NULL));
    judge("another personality", syscall(SYS_personality, 0x0400000));
}

/* What a file system keeps of a file: only its owner may change it, and it outlives the bot. */
static void attributes(void) {
    static char page[64];
    const struct { const char *name; unsigned long request; } requests[] = {
        {"FS_IOC_SETFLAGS", 0x40086602},    {"FS_IOC32_SETFLAGS", 0x40046602},
        {"FS_IOC_SETVERSION", 0x40087602},  {"FS_IOC32_SETVERSION", 0x40047602},
        {"FS_IOC_FSSETXATTR", 0x401C5820},  {"FS_IOC_SETFLAGS and more", 0x100000040086602},
        {"FS_IOC_ENABLE_VERITY", 0x40806685}, {"FICLONE", 0x40049409},
        {"FIFREEZE", 0xC0045877},           {"FITRIM", 0xC0185879},
        {"FS_IOC_SET_ENCRYPTION_POLICY", 0x800C6613}, {"FS_IOC_ADD_ENCRYPTION_KEY", 0xC0506617},
    };
    const char *places[] = {".", "/usr/bin/env", "own.txt", getenv("TMPDIR"), "/tmp"};
    for (size_t place = 0; place < sizeof places / sizeof *places; place++) {
        int file = places[place] ? open(places[place], O_RDONLY) : -1;
        if (file < 0) continue;
        for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
            char name[128];
            snprintf(name, sizeof name, "%s on %s", requests[i].name, places[place]);
            memset(page, 0, sizeof page);
            judge(name, syscall(SYS_ioctl, file, requests[i].request, page));
        }
        judge("file_setattr", syscall(469, file, "", page, 24, 0x1000));
        close(file);
    }
}

#ifdef __x86_64__
/* The 32-bit door: the numbers mean other calls there. 20 is getpid. */
static void old_door(void) {
    long result;
    fprintf(stderr, "tried the 32-bit door\n");
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory");
    if (result == getpid()) fprintf(stderr, "GAINED the 32-bit door\n");
}
#else
static void old_door(void) { raise(SIGSYS); }
#endif

static int nothing(void *unused) { return unused != NULL; }

static void nested(void) {
    static char stack[65536];
    const struct { const char *name; int flag; } spaces[] = {
        {"users", CLONE_NEWUSER}, {"mounts", CLONE_NEWNS},   {"processes", CLONE_NEWPID},
        {"networks", CLONE_NEWNET}, {"queues", CLONE_NEWIPC}, {"names", CLONE_NEWUTS},
        {"users and mounts", CLONE_NEWUSER | CLONE_NEWNS},
    };
    char name[64];
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        snprintf(name, sizeof name, "unshare of %s", spaces[i].name);
        judge(name, unshare(spaces[i].flag));
        snprintf(name, sizeof name, "clone with new %s", spaces[i].name);
        judge(name, clone(nothing, stack + sizeof stack, spaces[i].flag | SIGCHLD, NULL));
        struct { unsigned long long flags, rest[10]; } request = {spaces[i].flag, {0}};
        snprintf(name, sizeof name, "clone3 with new %s", spaces[i].name);
        long made = syscall(SYS_clone3, &request, sizeof request);
        if (made == 0) _exit(0);
        judge(name, made);
    }
    judge("setns", setns(open("/proc/1/ns/mnt", O_RDONLY), 0));
    /* Not a child of ours: the process that started us would be its parent. */
    judge("clone of a sibling", clone(nothing, stack + sizeof stack, CLONE_PARENT | SIGCHLD, NULL));
    while (waitpid(-1, NULL, WNOHANG | __WALL) > 0) {}
}

static void remount(void) {
    judge("remounting /", mount("none", "/", NULL, MS_REMOUNT, NULL));
    judge("remounting / writable", mount("none", "/", NULL, MS_REMOUNT | MS_BIND, NULL));
    judge("remounting the own folder", mount("none", ".", NULL, MS_REMOUNT | MS_BIND, NULL));
    judge("remounting /dev", mount("none", "/dev", NULL, MS_REMOUNT, "size=1g"));
    judge("remounting /tmp", mount("none", "/tmp", NULL, MS_REMOUNT, "size=1g"));
    judge("mounting /proc", mount("proc", "/tmp", "proc", 0, NULL));
    judge("binding /", mount("/", "/tmp", NULL, MS_BIND | MS_REC, NULL));
    judge("unmounting /tmp", umount2("/tmp", MNT_DETACH));
    judge("unmounting the own folder", umount2("/bot", MNT_DETACH));
    judge("changing the root", chroot("/tmp"));
    judge("swapping the root", syscall(SYS_pivot_root, "/tmp", "/tmp"));
    judge("a new file system", syscall(SYS_fsopen, "tmpfs", 0));
    judge("a tree of mounts", syscall(SYS_open_tree, AT_FDCWD, "/", 1));
}

/* Whether a place has a mount of its own that is read-only. */
static int is_covered(const char *place) {
    FILE *table = fopen("/proc/self/mountinfo", "r");
    char *line = NULL, point[512], options[512];
    size_t room = 0;
    int found = 0;
    while (table && getline(&line, &room, table) > 0)
        if (sscanf(line, "%*s %*s %*s %*s %511s %511s", point, options) == 2 && !strcmp(point, place))
            found = !strncmp(options, "ro", 2);
    if (table) fclose(table);
    free(line);
    return found;
}

/* Everything in /proc but processes and what never changes has a read-only mount over it. */
static void covers(void) {
    static const char *honest[] = {"self", "thread-self", "mounts", "net", "version", "filesystems"};
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    int bare = proc ? 0 : 1, seen = 0;
    while (proc && (entry = readdir(proc))) {
        int skipped = *entry->d_name == '.' || (*entry->d_name >= '0' && *entry->d_name <= '9');
        for (size_t i = 0; i < sizeof honest / sizeof *honest; i++)
            skipped |= !strcmp(entry->d_name, honest[i]);
        char place[300];
        snprintf(place, sizeof place, "/proc/%s", entry->d_name);
        if (skipped || access(place, R_OK)) continue;
        seen++;
        if (is_covered(place)) continue;
        bare++;
        fprintf(stderr, "GAINED %s\n", place);
    }
    if (proc) closedir(proc);
    errno = EACCES;
    judge("finding covers", seen > 20 ? -1 : 0);
    judge("what nothing covers", bare ? bare : -1);
    /* What the covers were taken from is covered too. */
    judge("the folder of covers", open("/proc/sys/stat", O_RDONLY));
    judge("writing to a cover", open("/proc/stat", O_WRONLY));
    judge("writing to a setting", open("/proc/sys/kernel/hostname", O_WRONLY));
    judge("what process 1 has open", open("/proc/1/fd/0", O_RDONLY));
    judge("what process 1 sees", open("/proc/1/root/proc/stat", O_RDONLY));
}

/* Each way to take a mount away or to look below it. */
static void uncover_one(const char *place) {
    struct { unsigned long long set, clear, propagation, fd; } writable = {0, 1, 0, 0};
    fprintf(stderr, "tried to uncover %s\n", place);
    judge("umount", umount2(place, 0));
    judge("lazy umount", umount2(place, MNT_DETACH | UMOUNT_NOFOLLOW));
    judge("forced umount", umount2(place, MNT_FORCE));
    judge("expiring", umount2(place, MNT_EXPIRE));
    judge("moving", mount(place, "/tmp", NULL, MS_MOVE, NULL));
    judge("writable", mount(NULL, place, NULL, MS_REMOUNT | MS_BIND, NULL));
    judge("shared", mount(NULL, place, NULL, MS_SHARED, NULL));
    judge("private", mount(NULL, place, NULL, MS_PRIVATE | MS_REC, NULL));
    judge("over it", mount("tmpfs", place, "tmpfs", 0, NULL));
    judge("a copy", syscall(SYS_open_tree, AT_FDCWD, place, 1));
    judge("the mount itself", syscall(SYS_open_tree, AT_FDCWD, place, 0));
    int path = open(place, O_PATH);
    judge("move_mount", syscall(SYS_move_mount, path, "", AT_FDCWD, "/tmp", 4));
    judge("move_mount by name", syscall(SYS_move_mount, AT_FDCWD, place, AT_FDCWD, "/tmp", 0));
    judge("mount_setattr", syscall(442, AT_FDCWD, place, 0, &writable, sizeof writable));
    if (path >= 0) close(path);
}

static void uncover(void) {
    const char *places[] = {"/proc", "/proc/stat", "/proc/sys", "/proc/meminfo", "/proc/sys/stat", "/"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) uncover_one(places[i]);
    judge("below the root", syscall(SYS_pivot_root, ".", "."));
    judge("another /proc", mount("proc", "/tmp", "proc", 0, "subset=pid"));
    judge("a new /proc", syscall(SYS_fsopen, "proc", 0));
    int flags[] = {CLONE_NEWUSER | CLONE_NEWNS, CLONE_NEWNS, CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        pid_t child = fork();
        if (child == 0) {
            /* In a user namespace of its own, a process has all rights over mounts made there. */
            int made = unshare(flags[i]);
            judge("namespaces to uncover in", made);
            judge("umount there", umount2("/proc/stat", MNT_DETACH));
            judge("umount of /proc/sys there", umount2("/proc/sys", MNT_DETACH));
            judge("a /proc there", mount("proc", "/tmp", "proc", 0, NULL));
            fflush(stderr);
            _exit(0);
        }
        while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    }
    judge("mounts of process 1", setns(open("/proc/1/ns/mnt", O_RDONLY), CLONE_NEWNS));
    judge("users of process 1", setns(open("/proc/1/ns/user", O_RDONLY), CLONE_NEWUSER));
    judge("its own mounts", setns(open("/proc/self/ns/mnt", O_RDONLY), CLONE_NEWNS));
    covers();
}

static void terminal(void) {
    /* Its streams are pipes: any answer of theirs shows that the request has come to them. */
    for (int stream = 0; stream < 3; stream++) {
        int result = ioctl(stream, TIOCSTI, "x");
        judge("TIOCSTI", result == -1 && errno == EPERM ? -1 : 0);
    }
    judge("the terminal", open("/dev/tty", O_RDWR));
    judge("the console", open("/dev/console", O_RDWR));
    judge("a virtual console", open("/dev/tty1", O_RDWR));
}

static void favour(void) {
    struct sched_param first = {1};
    cpu_set_t all;
    memset(&all, 0xff, sizeof all);
    judge("no niceness", getpriority(PRIO_PROCESS, 0) < 7 ? 0 : -1);
    judge("nice -5", nice(-5));
    judge("real time", sched_setscheduler(0, SCHED_FIFO, &first));
    judge("all cores", sched_setaffinity(0, sizeof all, &all));
    judge("a priority at disks", syscall(SYS_ioprio_set, 1, 0, 1 << 13));
    judge("being no fair game", open("/proc/1/oom_score_adj", O_WRONLY));
}

/* Each signal to each thread of process 1, by its number and, in case that is hidden, by guess. */
static void all_signals(void) {
    DIR *tasks = opendir("/proc/1/task");
    struct dirent *task;
    while (tasks && (task = readdir(tasks)))
        for (int kind = 1; kind <= 64; kind++) {
            int thread = atoi(task->d_name);
            if (thread > 0) syscall(SYS_tgkill, 1, thread, kind);
        }
    if (tasks) closedir(tasks);
    for (int kind = 1; kind <= 64; kind++) {
        kill(1, kind);
        syscall(SYS_tkill, 1, kind);
        for (int thread = 1; thread < 6; thread++) syscall(SYS_tgkill, 1, thread, kind);
    }
}

static void signal_first(void) {
    fprintf(stderr, "tried all signals to process 1\n");
    for (int round = 0; round < 200; round++) all_signals();
}

/* The same from a child, all the time: also while process 1 is asked to stop or to end everybody. */
static void signal_first_always(void) {
    fprintf(stderr, "tried all signals to process 1 for ever\n");
    if (fork() == 0)
        for (int round = 0; round < 4000; round++) all_signals();
}

/* As a bot might that sees its loss: the signals must not hide that it ended. */
static void signal_and_exit(void) {
    signal_first();
    _exit(9);
}

/* Root's bots are somebody else; in a box they are user 1000. */
static void still_root(void) {
    judge("being root", geteuid() == 0 || getegid() == 0 ? 0 : -1);
    judge("becoming root", setuid(0));
    judge("becoming root's group", setgid(0));
    judge("the shadow file", open("/etc/shadow", O_RDONLY));
}

/* No right is in reserve: neither in the bounding set nor to be raised. */
static void more_rights(void) {
    int kept = 0;
    for (int right = 0; prctl(PR_CAPBSET_READ, right) >= 0; right++)
        kept += prctl(PR_CAPBSET_READ, right) == 1;
    judge("rights in reserve", kept > 0 ? 0 : -1);
    judge("raising a right", prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_SYS_ADMIN, 0, 0));
    judge("keeping rights", prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0));
}

/* Killed last where memory ends: what root has written is the least that may be chosen. */
static void better_score(void) {
    const char *scores[] = {"-1000", "-1", "0", "899"};
    for (size_t i = 0; i < sizeof scores / sizeof *scores; i++) {
        char name[64];
        int file = open("/proc/self/oom_score_adj", O_WRONLY);
        snprintf(name, sizeof name, "a score of %s", scores[i]);
        judge(name, file < 0 ? -1 : write(file, scores[i], strlen(scores[i])));
        close(file);
    }
}

static void fault(void) { *(volatile int *)8 = 1; }
static void bus(void) { raise(SIGBUS); }

static void forget_deaths(void) {
    /* Its own parent shall not hear of it. */
    prctl(PR_SET_PDEATHSIG, 0);
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    signal(SIGTERM, SIG_IGN);
    fprintf(stderr, "tried to be unkillable\n");
    rest(60000);
}

static const struct deed deeds[] = {
    {"shared_pages", shared_pages, 0}, {"zero_device", zero_device, 0}, {"segments", segments, 0},
    {"page_tables", page_tables, 0}, {"full_sockets", full_sockets, 0}, {"in_flight", in_flight, 0},
    {"deleted_files", deleted_files, 0}, {"mapped_files", mapped_files, 0},
    {"slow_calls", slow_calls, 0},  {"empty_files", empty_files, 0},
    {"first_thread_ends", first_thread_ends, 1},
    {"thread_bomb", thread_bomb, 0}, {"burst", burst, 1},       {"fork_tree", fork_tree, 0},
    {"hidden_memory", hidden_memory, 0}, {"doors", doors, 0},   {"old_door", old_door, 0},
    {"nested", nested, 0},           {"remount", remount, 0},   {"terminal", terminal, 0},
    {"favour", favour, 0},           {"segv", fault, 0},        {"abort", abort, 0},
    {"bus", bus, 0},                 {"unkillable", forget_deaths, 0},
    {"asynchronous", asynchronous, 0}, {"timers", timers, 0}, {"wakers", wakers, 0},
    {"disks", disks, 0}, {"options", options, 0},
    {"attributes", attributes, 0},   {"still_root", still_root, 0},
    {"more_rights", more_rights, 0}, {"better_score", better_score, 0},
    {"covers", covers, 1},           {"uncover", uncover, 0},
    {"signal_first", signal_first, 0}, {"signal_first_always", signal_first_always, 1},
    {"signal_and_exit", signal_and_exit, 0}, {"signal_at_start", signal_first, 1},
};

static int play(const struct deed *deed) {
    char *line = NULL;
    size_t room = 0;
    int moves = 0;
    while (getline(&line, &room, stdin) > 0) {
        if (strstr(line, "\"type\":\"turn\"")) {
            if (moves++ == 1 && !deed->at_start) deed->act();
            const char *legal = strstr(line, "\"legal\":[");
            printf("{\"type\":\"move\",\"pit\":%c}\n", legal[9]);
        } else if (strstr(line, "\"type\":\"quit\"")) {
            if (at_quit) at_quit();
            return 0;
        } else if (!strstr(line, "\"type\":\"game-over\"")) {
            moves = 0;
            puts("{\"type\":\"ready\"}");
        }
        fflush(stdout);
    }
    return 0;
}

int main(int count, char **words) {
    const struct deed *deed = NULL;
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++)
        if (count > 1 && !strcmp(words[1], deeds[i].name)) deed = &deeds[i];
    if (!deed) return 2;
    setvbuf(stderr, NULL, _IOLBF, 4096);
    if (deed->at_start) deed->act();
    return play(deed);
}
