// Sample data for the tests of certificates and keys in C.
#ifndef SAMPLES_H
#define SAMPLES_H

#include <Security/Security.h>

// A small authority, valid from 2020 to 2099: `CN=Sample Root`, `CN=Sample Middle` below it, and `CN=leaf.example.org`
// below that, with an RSA key. The caller releases each.
SecCertificateRef sample_root(void);
SecCertificateRef sample_middle(void);
SecCertificateRef sample_leaf(void);

/// Whether the distribution has a file of certificates in one of the places where securityd looks for it.
bool has_system_roots(void);

/// A file of Tests/Keys/KeyFormatsTests/Fixtures; the caller releases it.
CFDataRef fixture(const char *name);

/// An array of up to three objects, which end with NULL; the caller releases it.
CFArrayRef list(CFTypeRef first, CFTypeRef second, CFTypeRef third);

bool is_of(CFTypeRef object, CFTypeID type);

/// Whether the error has that status; releases the error and sets its place to NULL.
bool fails(CFErrorRef *error, OSStatus status);

/// Releases the object unless it is NULL.
void drop(CFTypeRef object);

#endif
