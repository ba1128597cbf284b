/*
 * Apple's Keychain Services for C and C++ on Linux. Link with what `pkg-config --libs chatelaine` says.
 *
 * Programs speak in CoreFoundation's dictionaries, whose keys are the kSec constants. Every call may come from any
 * thread. What is given to a call stays the caller's; what a call returns through a pointer, or under a name with Copy
 * or Create in it, belongs to the caller, who releases it with CFRelease.
 *
 * A pointer to no object, an object of another type than expected, or a dictionary that changes meanwhile is an error
 * (errSecParam). Documentation/from-c.md tells the rest.
 */
#ifndef CHATELAINE_SECURITY_H
#define CHATELAINE_SECURITY_H

#include <Security/SecBase.h>

#include <Security/SecACL.h>
#include <Security/SecAccess.h>
#include <Security/SecAccessControl.h>
#include <Security/SecCertificate.h>
#include <Security/SecCertificateOIDs.h>
#include <Security/SecIdentity.h>
#include <Security/SecImportExport.h>
#include <Security/SecItem.h>
#include <Security/SecKey.h>
#include <Security/SecKeychain.h>
#include <Security/SecKeychainItem.h>
#include <Security/SecKeychainSearch.h>
#include <Security/SecPolicy.h>
#include <Security/SecRandom.h>
#include <Security/SecSharedCredential.h>
#include <Security/SecTask.h>
#include <Security/SecTrust.h>
#include <Security/SecTrustSettings.h>
#include <Security/SecTrustedApplication.h>
#include <Security/cssmapple.h>

#endif
