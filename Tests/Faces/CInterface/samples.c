// Certificates for the tests in C, taken from TestSupport/SampleCertificates.swift, and files of keys.
#include "samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "check.h"

static const char root[] =
    "MIIBtzCCAV6gAwIBAgIUdjLbd0aEWivLDf7fEDNRH/VskqgwCgYIKoZIzj0EAwIwOTELMAkGA1UEBhMCZGUxFDASBgNVBAoTC1NhbXBsZSAgb3JnMRQw"
    "EgYDVQQDEwtTYW1wbGUgUm9vdDAgFw0yMDAxMDEwMDAwMDBaGA8yMDk5MDEwMTAwMDAwMFowOTELMAkGA1UEBhMCZGUxFDASBgNVBAoTC1NhbXBsZSAg"
    "b3JnMRQwEgYDVQQDEwtTYW1wbGUgUm9vdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABFQ9N0UFBeWgp3STi/oCyaTeP8fKZXM//twriEPiuU2txunS"
    "dZ2Y2Rw14qUzoLlRMK5A/jJ0x82WWQPWQ1ue0SejQjBAMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgEGMB0GA1UdDgQWBBTcppOkj2fRfTsa"
    "jxrZPiQaZ3+BcTAKBggqhkjOPQQDAgNHADBEAiBZedPz8HU1vHoun/GTVrJ+T4vynlnKsKriXi3ZthtyYAIgQoU8DLkHtA7Ap9/WNTBtfgPRgdWIbuLO"
    "5qgFbX/7ITY=";

static const char middle[] =
    "MIIB+zCCAaGgAwIBAgIUcxII8n6itT+tCaiN7iBvjpDAyiwwCgYIKoZIzj0EAwIwOTELMAkGA1UEBhMCZGUxFDASBgNVBAoTC1NhbXBsZSAgb3JnMRQw"
    "EgYDVQQDEwtTYW1wbGUgUm9vdDAgFw0yMDAxMDEwMDAwMDBaGA8yMDk5MDEwMTAwMDAwMFowOzELMAkGA1UEBhMCZGUxFDASBgNVBAoTC1NhbXBsZSAg"
    "b3JnMRYwFAYDVQQDEw1TYW1wbGUgTWlkZGxlMHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEcp7Z9Lg8XRNOekLP4r1momW3HR0IDsO395OaOTJZZg9/IsUc"
    "D3IXrxzy8ISteM+/J8j4j3CgjpKDqc2+uVKKGSQg+P/4F8gcMSsrog6NjM43VdRJaLY1Do6yrKE8HTJco2YwZDASBgNVHRMBAf8ECDAGAQH/AgEAMA4G"
    "A1UdDwEB/wQEAwICBDAdBgNVHQ4EFgQUy58lx5SZL1vv2C/ZptVUrd4lTaUwHwYDVR0jBBgwFoAU3KaTpI9n0X07Go8a2T4kGmd/gXEwCgYIKoZIzj0E"
    "AwIDSAAwRQIgWe7UUQyrhXPX9uPw3EYE6b+4Mswuf/w9dQfeCrfuglQCIQDo6F6RFWQZXdIxhULbS46RE/F37UdbMiq/cbIeX0Cirw==";

static const char leaf[] =
    "MIIDKjCCArCgAwIBAgIUIl4ZEznoo3GVmCtbEKeDy9kvfs0wCgYIKoZIzj0EAwIwOzELMAkGA1UEBhMCZGUxFDASBgNVBAoTC1NhbXBsZSAgb3JnMRYw"
    "FAYDVQQDEw1TYW1wbGUgTWlkZGxlMCAXDTIwMDEwMTAwMDAwMFoYDzIwOTkwMTAxMDAwMDAwWjBCMRMwEQYDVQQKEwpTYW1wbGUgT3JnMRAwDgYDVQQL"
    "EwdTZXJ2ZXJzMRkwFwYDVQQDExBsZWFmLmV4YW1wbGUub3JnMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAyDgAPeQLusvauqqlcMb+vudR"
    "/veY15OVyGyk6sV2trckteqXGp5kdFszeNtWxz3DlGTBoY79vlg1Moi4SI1uAm/9iqhF510x+EBgbFy2jkzMftItd6xCecNMSGEN99Ros+Meuy+/+LKt"
    "gJTVfA17XcbXyxAb0/nJpLXBsY0lysyaEvrnRtLvF2QrX1T3G7nKluWti3PxpgklYpt4a/xt4HOH/v6SCPJBEp8P7G1c0hsYf2bjoZclXkwOxCsu5tma"
    "qYXAYldcJxoFxpUUF4T4icSdyQzUsx4v2XeoX2TaLLSSae1dWdKGo9LUTNfF1LwC5gzCNMNdyFG3Sc0mPuKF9QIDAQABo4G9MIG6MAkGA1UdEwQCMAAw"
    "DgYDVR0PAQH/BAQDAgWgMB0GA1UdJQQWMBQGCCsGAQUFBwMBBggrBgEFBQcDBDAdBgNVHQ4EFgQUVlHF5AlpCh5F3/Py7M/k+NTVRLQwHwYDVR0jBBgw"
    "FoAUy58lx5SZL1vv2C/ZptVUrd4lTaUwPgYDVR0RBDcwNYIQbGVhZi5leGFtcGxlLm9yZ4IPd3d3LmV4YW1wbGUub3JngRBsZWFmQGV4YW1wbGUub3Jn"
    "MAoGCCqGSM49BAMCA2gAMGUCMQDA9zG0mxeI+2ROPB/e03Y6sytuihsI7GFzGp+oaB859eacSYBjP3HRxen1wWAeJFICMHP/UaAOM59tBGCbXEpqgRLl"
    "VXBIHiXtdolguuSTbu4/qhMsS/5GZv8Bis+jwrTKOg==";

bool has_system_roots(void) {
    static const char *places[] = {
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
        "/var/lib/ca-certificates/ca-bundle.pem", "/etc/ca-certificates/extracted/tls-ca-bundle.pem",
    };
    for (size_t index = 0; index < sizeof places / sizeof *places; index++) {
        struct stat status;
        // Arch has a link in the first place, which does not count.
        if (lstat(places[index], &status) == 0 && S_ISREG(status.st_mode)) return true;
    }
    return false;
}

static int digit(char character) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *place = character ? strchr(digits, character) : NULL;
    return place ? (int)(place - digits) : -1;
}

/// The data of a Base64 text.
static CFDataRef decoded(const char *digits) {
    CFMutableDataRef result = CFDataCreateMutable(NULL, 0);
    unsigned bits = 0, count = 0;
    for (; digit(*digits) >= 0; digits++) {
        bits = bits << 6 | (unsigned)digit(*digits);
        count += 6;
        if (count < 8) continue;
        count -= 8;
        UInt8 byte = (UInt8)(bits >> count);
        CFDataAppendBytes(result, &byte, 1);
    }
    return result;
}

static SecCertificateRef made(const char *digits) {
    CFDataRef der = decoded(digits);
    SecCertificateRef certificate = SecCertificateCreateWithData(NULL, der);
    CHECK(certificate);
    CFRelease(der);
    return certificate;
}

SecCertificateRef sample_root(void) { return made(root); }
SecCertificateRef sample_middle(void) { return made(middle); }
SecCertificateRef sample_leaf(void) { return made(leaf); }

CFDataRef fixture(const char *name) {
    static UInt8 bytes[1 << 16];
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", FIXTURES, name);
    FILE *file = fopen(path, "rb");
    size_t count = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file) fclose(file);
    check(count > 0, path, __FILE__, __LINE__);
    return CFDataCreate(NULL, bytes, (CFIndex)count);
}

CFArrayRef list(CFTypeRef first, CFTypeRef second, CFTypeRef third) {
    CFMutableArrayRef result = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
    CFTypeRef objects[] = {first, second, third};
    for (size_t index = 0; index < 3 && objects[index]; index++) CFArrayAppendValue(result, objects[index]);
    return result;
}

bool is_of(CFTypeRef object, CFTypeID type) { return object && CFGetTypeID(object) == type; }

bool fails(CFErrorRef *error, OSStatus status) {
    bool holds = *error && CFErrorGetCode(*error) == status;
    if (*error) CFRelease(*error);
    *error = NULL;
    return holds;
}

void drop(CFTypeRef object) {
    if (object) CFRelease(object);
}
