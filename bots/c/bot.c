/* A starter bot for awalé in C, with nothing but the standard library. Copy this file, change
 * choose(), and enter it into a tournament:
 *
 *     cc -std=gnu11 -Wall -O2 -o bot bot.c
 *
 * The referee writes one JSON object per line to our standard input. We answer three kinds of
 * message, each with one line on standard output. Debug text belongs on standard error:
 * fprintf(stderr, …). A second line on standard output would lose the game. */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state; /* of our dice; new-game gives us a seed, so that games can be repeated */

/* A random number from 0 to sides - 1. */
static int roll(int sides) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)sides);
}

/* How many seeds a move takes from the opponent's row (pits 6 to 11). */
static int captured(const int before[12], int pit) {
    int board[12];
    memcpy(board, before, sizeof board);
    int seeds = board[pit], at = pit, taken = 0, row = 0;
    board[pit] = 0;
    while (seeds > 0) {
        at = (at + 1) % 12;
        if (at != pit) { /* the pit we sow from is left out on every lap */
            board[at]++;
            seeds--;
        }
    }
    for (; at >= 6 && (board[at] == 2 || board[at] == 3); at--) /* backward along the capture */
        taken += board[at];
    /* The whole row would be a grand slam, which takes nothing by most rule sets: docs/rules.md. */
    for (int i = 6; i < 12; i++) row += board[i];
    return taken == row ? 0 : taken;
}

/* Returns the pit to play. YOUR IDEA GOES HERE.
 *   board  12 numbers seen from our side: 0-5 are our pits in sowing order, 6-11 theirs
 *   legal  the `count` pits we may play
 * The message says more, such as "stores": main() can read it with numbers() or field(). */
static int choose(const int board[12], const int legal[], int count) {
    int best[6], ties = 0, most = -1;
    for (int i = 0; i < count; i++) {
        int taken = captured(board, legal[i]);
        if (taken > most) {
            most = taken;
            ties = 0;
        }
        if (taken == most) best[ties++] = legal[i];
    }
    return best[roll(ties)];
}

/* ---- Just enough JSON: nothing below needs to change. -------------------------------------- */

static const char *skip_space(const char *at) {
    while (isspace((unsigned char)*at)) at++;
    return at;
}

/* From the opening quote of a string to the place after its closing quote. */
static const char *skip_string(const char *at) {
    for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && at[1]) at++;
    return *at ? at + 1 : at;
}

/* From the start of any value to the comma or bracket that follows it. */
static const char *skip_value(const char *at) {
    int depth = 0;
    while (*at && (depth > 0 || !strchr(",]}", *at))) {
        if (*at == '"') {
            at = skip_string(at);
            continue;
        }
        if (*at == '{' || *at == '[') depth++;
        if (*at == '}' || *at == ']') depth--;
        at++;
    }
    return at;
}

/* Where the value of a field of the outermost object starts, or NULL. Equal names inside other
 * fields, and quotes or brackets inside strings, do not confuse it. */
static const char *field(const char *line, const char *name) {
    const char *at = skip_space(line);
    if (*at != '{') return NULL;
    at = skip_space(at + 1);
    while (*at == '"') {
        const char *key = at + 1;
        at = skip_string(at);
        size_t length = (size_t)(at - key) - 1;
        at = skip_space(at);
        if (*at != ':') return NULL;
        at = skip_space(at + 1);
        if (length == strlen(name) && strncmp(key, name, length) == 0) return at;
        at = skip_value(at);
        if (*at == ',') at = skip_space(at + 1);
    }
    return NULL;
}

/* Reads an array of whole numbers, at most `room` of them; returns how many. */
static int numbers(const char *line, const char *name, int found[], int room) {
    const char *at = field(line, name);
    int count = 0;
    if (!at || *at != '[') return 0;
    for (at++; count < room; count++) {
        char *end;
        found[count] = (int)strtol(at, &end, 10);
        if (end == at) break; /* the closing bracket */
        at = skip_space(end);
        if (*at == ',') at++;
    }
    return count;
}

static int is_type(const char *line, const char *type) {
    const char *at = field(line, "type");
    size_t length = strlen(type);
    return at && *at == '"' && strncmp(at + 1, type, length) == 0 && at[length + 1] == '"';
}

int main(void) {
    static char line[1 << 20];
    setvbuf(stdout, NULL, _IOLBF, 0); /* send every line at once: else the referee waits in vain */
    while (fgets(line, sizeof line, stdin)) {
        if (is_type(line, "hello")) { /* once, when the program starts */
            printf("{\"type\":\"ready\",\"name\":\"my-bot\",\"version\":\"1.0\"}\n");
        } else if (is_type(line, "new-game")) { /* forget the last game here */
            const char *seed = field(line, "seed");
            state = seed ? strtoull(seed, NULL, 10) : 0;
            printf("{\"type\":\"ready\"}\n");
        } else if (is_type(line, "turn")) {
            int board[12] = {0}, legal[6];
            numbers(line, "board", board, 12);
            int count = numbers(line, "legal", legal, 6);
            if (count > 0) printf("{\"type\":\"move\",\"pit\":%d}\n", choose(board, legal, count));
        } else if (is_type(line, "quit")) {
            break;
        }
        /* No answer to game-over, nor to a kind that a later version of the protocol may add. */
    }
    return 0;
}
