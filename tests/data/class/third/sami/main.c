#include <stdio.h>
#include <string.h>

int main(void) {
    static char line[65536];
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        char *legal = strstr(line, "\"legal\":[");
        if (strstr(line, "\"type\":\"turn\"")) {
            printf("{\"type\":\"move\",\"pit\":%c}\n", legal[9]);
        } else if (strstr(line, "\"type\":\"hello\"") || strstr(line, "\"type\":\"new-game\"")) {
            put("{\"type\":\"ready\"}");
        }
    }
    return 0;
}
