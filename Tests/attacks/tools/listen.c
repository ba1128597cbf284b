/* listen PATH [answer]: listens in securityd's place, and prints received messages until its input ends. With `answer` it
   does the handshake and replies with success to the first request, whatever the request is. */
#define _GNU_SOURCE
#include "attack.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static void answer(int end) {
    static const uint8_t challenge[19] = {0xA1, 0x02, 0x50};
    static const uint8_t welcome[] = {0xA1, 0x00, 0x00};
    /* The reply is {0: 0}, then the item {0: 16 bytes, 1: 1, 2: 1, 3: false}. */
    static const uint8_t reply[28] = {
        0xA1, 0x00, 0x00, 0xA4, 0x00, 0x50, [22] = 0x01, 0x01, 0x02, 0x01, 0x03, 0xF4,
    };
    static uint8_t frame[1 << 16];
    if (frame_receive(end, frame, sizeof frame) < 0 || frame_send(end, challenge, sizeof challenge, -1) != 0) return;
    if (frame_receive(end, frame, sizeof frame) < 0 || frame_send(end, welcome, sizeof welcome, -1) != 0) return;
    ssize_t length = frame_receive(end, frame, sizeof frame);
    if (length < 0) return;
    if (memmem(frame, (size_t)length, "s3cret", 6)) printf("heard a secret\n");
    frame_send(end, reply, sizeof reply, -1);
}

int verb_listen(int count, char **words) {
    if (count < 1) return 2;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", words[0]);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    unlink(words[0]);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 16) != 0)
        return printf("%s\n", strerror(errno)), 1;
    chmod(words[0], 0777);
    printf("listening\n");
    while (1) {
        struct pollfd events[2] = {{.fd = 0, .events = POLLIN}, {.fd = listener, .events = POLLIN}};
        if (poll(events, 2, -1) < 0) continue;
        char byte;
        if (events[0].revents && read(0, &byte, 1) <= 0) return 0;
        if (!events[1].revents) continue;
        int end = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (end < 0) continue;
        if (count > 1) {
            answer(end);
        } else {
            char bytes[4096];
            struct timeval patience = {1, 0};
            setsockopt(end, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
            ssize_t length = recv(end, bytes, sizeof bytes, 0);
            printf("heard %zd bytes\n", length < 0 ? 0 : length);
        }
        close(end);
    }
}
