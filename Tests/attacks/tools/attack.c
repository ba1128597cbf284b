/* `attack VERB …`: the verbs are below and in the other files. */
#define _GNU_SOURCE
#include "attack.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ask SOCKET find|add [GROUP]: finds or adds the item, in an access group if one is named. A copy at another path is another
   application. */
int verb_ask(int count, char **words) {
    if (count < 2 || count > 3) return 2;
    int end = keychain_connect(words[0]);
    if (end < 0) return printf("refused %s\n", strerror(errno)), 0;
    if (keychain_greet(end) != 0) return printf("closed\n"), 0;
    char secret[4096] = "";
    int status;
    if (strcmp(words[1], "add") == 0) {
        status = keychain_add(end, "ada", "s3cret of ada", 13);
    } else {
        status = keychain_ask(end, "ada", count == 3 ? words[2] : NULL);
        if (status == STATUS_SUCCESS) status = keychain_answer(end, secret, sizeof secret);
    }
    printf("%s %d %s\n", words[1], status, secret);
    return 0;
}

/* later SOCKET: waits for a line of input, and then asks for the item. */
int verb_later(int count, char **words) {
    char line[16];
    if (count != 1) return 2;
    if (!fgets(line, sizeof line, stdin)) return 1;
    char *question[] = {words[0], "find"};
    return verb_ask(2, question);
}

/* keep SOCKET: asks for the item, and keeps the secret in memory until its input ends. */
int verb_keep(int count, char **words) {
    if (count != 1) return 2;
    int end = keychain_connect(words[0]);
    if (end < 0 || keychain_greet(end) != 0) return 1;
    char secret[64] = "";
    if (keychain_find(end, "ada", secret, sizeof secret) != STATUS_SUCCESS) return 1;
    while (getchar() != EOF) {}
    printf("%s\n", secret);
    return 0;
}

/* peer SOCKET: prints the id of the process that listens there. */
int verb_peer(int count, char **words) {
    if (count != 1) return 2;
    int end = keychain_connect(words[0]);
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (end < 0 || getsockopt(end, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return 1;
    printf("%d\n", peer.pid);
    return 0;
}

static const struct {
    const char *name;
    int (*run)(int, char **);
} verbs[] = {
    {"ask", verb_ask},       {"peer", verb_peer},         {"reach", verb_reach}, {"crash", verb_crash},
    {"listen", verb_listen}, {"flood", verb_flood},       {"calls", verb_calls}, {"inject", verb_inject},
    {"scan", verb_scan},     {"disguise", verb_disguise}, {"hold", verb_hold},   {"mapped", verb_mapped},
    {"passcodes", verb_passcodes},
    {"stage", verb_stage},   {"later", verb_later},       {"keep", verb_keep},   {"sandwich", verb_sandwich},
    {"hang", verb_hang},     {"hung", verb_hung},         {"node", verb_node},
    {"exchange", verb_exchange},                          {"landlock", verb_landlock}, {"rewrite", verb_rewrite}, {"catch", verb_catch},
};

int main(int count, char **words) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (size_t index = 0; count > 1 && index < sizeof verbs / sizeof verbs[0]; index++)
        if (strcmp(words[1], verbs[index].name) == 0) {
            int status = verbs[index].run(count - 2, words + 2);
            if (status == 2) fprintf(stderr, "%s: wrong words\n", words[1]);
            return status;
        }
    fprintf(stderr, "attack: no such verb\n");
    return 2;
}
