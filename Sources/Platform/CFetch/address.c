#include "fetch.h"

#include <netinet/in.h>
#include <string.h>

/// Network and mask, in the order of the host.
struct range {
    uint32_t network;
    uint32_t mask;
};

/// This machine, its link, groups, and what is no address. Private networks are not here: companies have their responders there.
static const struct range refused[] = {
    {0x00000000, 0xFF000000}, // 0.0.0.0/8, unspecified: Linux takes 0.0.0.0 for this machine
    {0x7F000000, 0xFF000000}, // 127.0.0.0/8, loopback
    {0xA9FE0000, 0xFFFF0000}, // 169.254.0.0/16, link-local, where clouds have what a machine may know
    {0xE0000000, 0xF0000000}, // 224.0.0.0/4, multicast
    {0xF0000000, 0xF0000000}, // 240.0.0.0/4, reserved, and broadcast
};

static int admits4(uint32_t address)
{
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        if ((address & refused[i].mask) == refused[i].network) return 0;
    }
    return 1;
}

static uint32_t embedded(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static int admits6(const uint8_t *bytes)
{
    static const uint8_t zeros[12];
    static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
    static const uint8_t translated[12] = {0, 0x64, 0xFF, 0x9B};
    // Addresses that stand for one of version 4 are judged as that one; ::1 and :: stand for 0.0.0.1 and 0.0.0.0.
    if (memcmp(bytes, zeros, 12) == 0 || memcmp(bytes, mapped, 12) == 0 || memcmp(bytes, translated, 12) == 0) {
        return admits4(embedded(bytes + 12));
    }
    if (bytes[0] == 0x20 && bytes[1] == 0x02) return admits4(embedded(bytes + 2)); // 2002::/16, 6to4
    if (bytes[0] == 0xFF) return 0;                                                // ff00::/8, multicast
    return !(bytes[0] == 0xFE && (bytes[1] & 0xC0) == 0x80);                       // fe80::/10, link-local
}

int chatelaine_fetch_admits(const struct sockaddr *address)
{
    switch (address->sa_family) {
    case AF_INET: {
        struct sockaddr_in internet;
        memcpy(&internet, address, sizeof internet);
        return admits4(ntohl(internet.sin_addr.s_addr));
    }
    case AF_INET6: {
        struct sockaddr_in6 internet;
        memcpy(&internet, address, sizeof internet);
        return admits6(internet.sin6_addr.s6_addr);
    }
    default: return 0;
    }
}
