/* Answers with the first legal pit; built without shared libraries. */
#include <stdio.h>
#include <string.h>

int main(void) {
    static char line[65536];
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        if (strstr(line, "\"type\":\"quit\"")) return 0;
        if (strstr(line, "\"type\":\"game-over\"")) continue;
        const char *legal = strstr(line, "\"legal\":[");
        if (legal)
            printf("{\"type\":\"move\",\"pit\":%c}\n", legal[9]);
        else
            puts("{\"type\":\"ready\"}");
    }
    return 0;
}
