#include "fetch.h"

#include <netinet/in.h>
#include <string.h>

/// Network and mask, in host byte order.
struct range {
    uint32_t network;
    uint32_t mask;
};

/// Refused addresses: this machine, its link, groups, invalid addresses, and the metadata services of clouds.
///
/// Private networks are allowed: companies have their responders there.
static const struct range refused[] = {
    {0x00000000, 0xFF000000}, // 0.0.0.0/8, unspecified: Linux takes 0.0.0.0 for this machine
    {0x646464C8, 0xFFFFFFFF}, // 100.100.100.200, Alibaba's cloud
    {0x7F000000, 0xFF000000}, // 127.0.0.0/8, loopback
    {0xA83F8110, 0xFFFFFFFF}, // 168.63.129.16, Azure
    {0xA9FE0000, 0xFFFF0000}, // 169.254.0.0/16, link-local, and most clouds
    {0xC0000000, 0xFFFFFF00}, // 192.0.0.0/24, of protocols, and Oracle's older cloud
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

/// The first bytes of IPv6 addresses.
struct prefix {
    size_t count;
    uint8_t bytes[16];
};

static int has_prefix(const uint8_t *bytes, const struct prefix *prefixes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (memcmp(bytes, prefixes[i].bytes, prefixes[i].count) == 0) return 1;
    }
    return 0;
}

#define HAS_PREFIX(bytes, prefixes) has_prefix(bytes, prefixes, sizeof prefixes / sizeof prefixes[0])

static int admits6(const uint8_t *bytes)
{
    // Addresses with an IPv4 address in their last bytes are judged by that one; ::1 and :: stand for 0.0.0.1 and
    // 0.0.0.0.
    static const struct prefix embedding[] = {
        {12, {0}},
        {12, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF}}, // ::ffff:0:0/96, mapped
        {12, {0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF}},       // ::ffff:0:0:0/96, translated (RFC 2765)
        {12, {0, 0x64, 0xFF, 0x9B}},                      // 64:ff9b::/96, translated (RFC 6052)
    };
    static const struct prefix refused6[] = {
        {6, {0, 0x64, 0xFF, 0x9B, 0, 1}},                                  // 64:ff9b:1::/48, translated within a network (RFC 8215)
        {1, {0xFF}},                                                       // ff00::/8, multicast
        {4, {0xFD, 0x00, 0x0E, 0xC2}},                                     // fd00:ec2::/32, Amazon's cloud
        {16, {0xFD, 0x20, 0, 0xCE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0x54}}, // fd20:ce::254, Google's
        {16, {0xFD, 0, 0, 0x42, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x42}},    // fd00:42::42, Scaleway's
        {4, {0xFD, 0, 0xA9, 0xFE}},                                         // fd00:a9fe::/32, Akamai's
        {16, {0xFD, 0, 0, 0xC1, 0, 0, 0, 0, 0, 0, 0, 0, 0xA9, 0xFE, 0xA9, 0xFE}}, // fd00:c1::a9fe:a9fe, Oracle's
        {16, {0xFD, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0}},          // fd00:100::100:200, Alibaba's
        {4, {0x20, 0x01, 0, 0}},                                            // 2001::/32, Teredo: the address within is inverted
    };
    if (HAS_PREFIX(bytes, embedding)) return admits4(embedded(bytes + 12));
    if (bytes[0] == 0x20 && bytes[1] == 0x02) return admits4(embedded(bytes + 2)); // 2002::/16, 6to4
    if (HAS_PREFIX(bytes, refused6)) return 0;
    return !(bytes[0] == 0xFE && (bytes[1] & 0xC0) == 0x80); // fe80::/10, link-local
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
