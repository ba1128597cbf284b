/* A client of securityd, written from Documentation/formats/wire.md and cbor.md alone. */
#define _GNU_SOURCE
#include "attack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { GREETING_BYTES = 4096, REPLY_BYTES = 1 << 20 };
/* The bit in the head of a frame that says that the message continues in the next frame. */
static const uint32_t CONTINUED = (uint32_t)1 << 31;

int socket_connect(int end, const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, path);
    return connect(end, (struct sockaddr *)&address, sizeof address);
}

int keychain_connect(const char *path) {
    int end = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (end < 0) return -1;
    if (socket_connect(end, path) == 0) return end;
    int error = errno;
    close(end);
    errno = error;
    return -1;
}

static int send_all(int end, const uint8_t *bytes, size_t size) {
    while (size > 0) {
        ssize_t count = send(end, bytes, size, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return -1;
        bytes += count;
        size -= (size_t)count;
    }
    return 0;
}

static int receive_all(int end, uint8_t *bytes, size_t size) {
    while (size > 0) {
        ssize_t count = recv(end, bytes, size, 0);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return -1;
        bytes += count;
        size -= (size_t)count;
    }
    return 0;
}

int frame_send(int end, const uint8_t *frame, size_t size, int descriptor) {
    uint8_t head[4] = {(uint8_t)size, (uint8_t)(size >> 8), (uint8_t)(size >> 16), (uint8_t)(size >> 24)};
    if (descriptor < 0) return send_all(end, head, 4) == 0 ? send_all(end, frame, size) : -1;
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec piece = {head, 4};
    struct msghdr message = {
        .msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
    if (sendmsg(end, &message, MSG_NOSIGNAL) != 4) return -1;
    return send_all(end, frame, size);
}

/* Receives a frame, and reads whether its message continues in another frame. */
static ssize_t part_receive(int end, uint8_t *frame, size_t size, int *isContinued) {
    uint8_t head[4];
    if (receive_all(end, head, 4) != 0) return -1;
    uint32_t length = head[0] | (uint32_t)head[1] << 8 | (uint32_t)head[2] << 16 | (uint32_t)head[3] << 24;
    *isContinued = (length & CONTINUED) != 0;
    length &= ~CONTINUED;
    if (length > size || receive_all(end, frame, length) != 0) return -1;
    return (ssize_t)length;
}

ssize_t frame_receive(int end, uint8_t *frame, size_t size) {
    int isContinued;
    ssize_t length = part_receive(end, frame, size, &isContinued);
    return length < 0 || isContinued ? -1 : length;
}

/* Sends a part of a greeting, each of which needs an attached descriptor. */
static int greeting_send(int end, const uint8_t *frame, size_t size) {
    int proof = memfd_create("attack", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (proof < 0 || fcntl(proof, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) != 0) return -1;
    int status = frame_send(end, frame, size, proof);
    close(proof);
    return status;
}

int greet_hello(int end) {
    static const uint8_t hello[] = {0xA1, 0x00, 0x81, PROTOCOL_VERSION};
    return greeting_send(end, hello, sizeof hello);
}

int greet_nonce(int end) {
    uint8_t frame[GREETING_BYTES];
    /* Of {2: nonce, 16 bytes, 3: device, 4: inode} the nonce is returned as it came. */
    if (frame_receive(end, frame, sizeof frame) < 19 || frame[0] != 0xA3 || frame[1] != 0x02) return -1;
    frame[0] = 0xA1;
    return greeting_send(end, frame, 19);
}

int greet_welcome(int end) {
    static const uint8_t welcome[] = {0xA1, 0x00, 0x00};
    uint8_t frame[GREETING_BYTES];
    if (frame_receive(end, frame, sizeof frame) != (ssize_t)sizeof welcome) return -1;
    return memcmp(frame, welcome, sizeof welcome) == 0 ? 0 : -1;
}

int keychain_greet(int end) { return greet_hello(end) == 0 && greet_nonce(end) == 0 ? greet_welcome(end) : -1; }

/* ---- CBOR ---- */

struct writer {
    uint8_t *bytes;
    size_t count;
};

static void put(struct writer *writer, const void *bytes, size_t size) {
    memcpy(writer->bytes + writer->count, bytes, size);
    writer->count += size;
}

static void put_head(struct writer *writer, uint8_t type, uint64_t value) {
    uint8_t bytes[9];
    size_t width = value < 24 ? 0 : value < 0x100 ? 1 : value < 0x10000 ? 2 : value < 0x100000000 ? 4 : 8;
    bytes[0] = (uint8_t)(type << 5 | (width == 0 ? value : width == 1 ? 24 : width == 2 ? 25 : width == 4 ? 26 : 27));
    for (size_t index = 0; index < width; index++) bytes[1 + index] = (uint8_t)(value >> 8 * (width - 1 - index));
    put(writer, bytes, 1 + width);
}

static void put_pair(struct writer *writer, uint64_t key, uint64_t value) {
    put_head(writer, 0, key);
    put_head(writer, 0, value);
}

static void put_text(struct writer *writer, const char *name, const char *text) {
    put_head(writer, 0, (uint32_t)name[0] << 24 | (uint32_t)name[1] << 16 | (uint32_t)name[2] << 8 | (uint8_t)name[3]);
    put_head(writer, 3, strlen(text));
    put(writer, text, strlen(text));
}

struct reader {
    const uint8_t *bytes;
    size_t left;
};

/* Returns the type, or -1 if the bytes are no valid head. */
static int take_head(struct reader *reader, uint64_t *value) {
    if (reader->left < 1) return -1;
    uint8_t first = *reader->bytes;
    size_t width = (first & 31) < 24 ? 0 : (size_t)1 << ((first & 31) - 24);
    if ((first & 31) > 27 || reader->left < 1 + width) return -1;
    *value = first & 31;
    if (width > 0) *value = 0;
    for (size_t index = 0; index < width; index++) *value = *value << 8 | reader->bytes[1 + index];
    reader->bytes += 1 + width;
    reader->left -= 1 + width;
    return first >> 5;
}

static const uint8_t *take(struct reader *reader, uint64_t size) {
    if (reader->left < size) return NULL;
    const uint8_t *bytes = reader->bytes;
    reader->bytes += size;
    reader->left -= (size_t)size;
    return bytes;
}

/* ---- Calls ---- */

/* Returns the header's status, and leaves the following bytes in `reader`. */
static int take_status(struct reader *reader) {
    uint64_t count, key, value;
    if (take_head(reader, &count) != 5 || count < 1 || take_head(reader, &key) != 0 || key != 0) return STATUS_LOST;
    int type = take_head(reader, &value);
    int status = type == 0 ? (int)value : type == 1 ? -1 - (int)value : STATUS_LOST;
    if (count > 1 && (take_head(reader, &key) != 0 || take_head(reader, &value) != 3 || !take(reader, value)))
        return STATUS_LOST;
    return status;
}

/* Reads the bytes of field 5 of an item. Its fields with lower numbers are numbers, booleans and one string. */
static void take_secret(struct reader *reader, char *secret, size_t size) {
    uint64_t count, key, value;
    if (take_head(reader, &count) != 5) return;
    for (; count > 0; count--) {
        if (take_head(reader, &key) != 0) return;
        int type = take_head(reader, &value);
        if (type < 0) return;
        if (type != 2 && type != 3) continue;
        const uint8_t *bytes = take(reader, value);
        if (!bytes) return;
        if (key != 5 || value >= size) continue;
        memcpy(secret, bytes, (size_t)value);
        secret[value] = 0;
    }
}

int keychain_answer(int end, char *secret, size_t room) {
    int status = STATUS_LOST;
    uint8_t *frame = malloc(REPLY_BYTES);
    if (secret) *secret = 0;
    if (!frame) return status;
    for (int isFirst = 1, isContinued = 1; isContinued; isFirst = 0) {
        ssize_t length = part_receive(end, frame, REPLY_BYTES, &isContinued);
        if (length < 0) break;
        if (!isFirst) continue;
        struct reader reader = {frame, (size_t)length};
        status = take_status(&reader);
        if (status == STATUS_SUCCESS && secret) take_secret(&reader, secret, room);
    }
    free(frame);
    return status;
}

/* Sends `operation` about the item. A change has an identifier, and an addition has a secret. If an access group is named, the
   request has it. */
static int ask(
    int end, uint64_t operation, const char *account, const char *group, const void *secret, size_t secretSize) {
    int isFind = operation == 1;
    struct writer writer = {malloc(8192 + secretSize), 0};
    if (!writer.bytes) return STATUS_LOST;
    put_head(&writer, 5, isFind ? 2 : 3);
    put_pair(&writer, 0, operation);
    if (!isFind) {
        uint8_t identifier[16];
        if (getrandom(identifier, sizeof identifier, 0) < 0) abort();
        put_head(&writer, 0, 1);
        put_head(&writer, 2, sizeof identifier);
        put(&writer, identifier, sizeof identifier);
    }
    put_head(&writer, 0, 2);
    put_head(&writer, 5, (secret ? 5 : 6) + (group ? 1 : 0));
    put_pair(&writer, 0, 1);
    put_head(&writer, 0, 1);
    put_head(&writer, 5, 2);
    put_text(&writer, "acct", account);
    put_text(&writer, "svce", "mail");
    if (group) {
        put_head(&writer, 0, 2);
        put_head(&writer, 3, strlen(group));
        put(&writer, group, strlen(group));
    }
    if (!secret) put_pair(&writer, 3, 0);
    if (secret) {
        put_head(&writer, 0, 5);
        put_head(&writer, 2, secretSize);
        put(&writer, secret, secretSize);
    }
    if (!secret) put_pair(&writer, 8, 1);
    put_pair(&writer, 9, isFind ? 1 : 0);
    put_pair(&writer, 10, 0);
    int status = frame_send(end, writer.bytes, writer.count, -1) == 0 ? STATUS_SUCCESS : STATUS_LOST;
    free(writer.bytes);
    return status;
}

int keychain_ask(int end, const char *account, const char *group) { return ask(end, 1, account, group, NULL, 0); }

int keychain_find(int end, const char *account, char *secret, size_t size) {
    if (ask(end, 1, account, NULL, NULL, 0) != STATUS_SUCCESS) return STATUS_LOST;
    return keychain_answer(end, secret, size);
}

int keychain_add(int end, const char *account, const void *secret, size_t size) {
    return ask(end, 2, account, NULL, secret, size) == STATUS_SUCCESS ? keychain_answer(end, NULL, 0) : STATUS_LOST;
}

int keychain_delete(int end, const char *account) {
    return ask(end, 4, account, NULL, NULL, 0) == STATUS_SUCCESS ? keychain_answer(end, NULL, 0) : STATUS_LOST;
}
