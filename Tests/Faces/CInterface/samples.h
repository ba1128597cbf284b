// What the tests of certificates and keys in C are about.
#ifndef SAMPLES_H
#define SAMPLES_H

#include <Security/Security.h>

// A small authority, valid from 2020 to 2099: `CN=Sample Root`, `CN=Sample Middle` below it, `CN=leaf.example.org` below that, with a key of RSA. Each is
// to be released.
SecCertificateRef sample_root(void);
SecCertificateRef sample_middle(void);
SecCertificateRef sample_leaf(void);

/// Whether the machine has a distribution's file of certificates, at one of the places where securityd looks for it.
bool has_system_roots(void);

/// A file of Tests/Keys/KeyFormatsTests/Fixtures, to be released.
CFDataRef fixture(const char *name);

/// An array of up to three objects, which end with NULL, to be released.
CFArrayRef list(CFTypeRef first, CFTypeRef second, CFTypeRef third);

bool is_of(CFTypeRef object, CFTypeID type);

/// Whether the error has that status; it is released, and its place is NULL afterwards.
bool fails(CFErrorRef *error, OSStatus status);

/// Releases what is there, if anything.
void drop(CFTypeRef object);

#endif
