/*
 * Apple's Keychain Services for C and C++ on Linux. Link with what `pkg-config --libs chatelaine` says.
 *
 * Programs pass CoreFoundation dictionaries, whose keys are the kSec constants. Any thread may make any call. Arguments
 * stay the caller's. The caller releases with CFRelease what a call returns through a pointer, and what a call with
 * Copy or Create in its name returns.
 *
 * A pointer to no object, an object of an unexpected type, and a dictionary that changes during the call are errors
 * (errSecParam). Documentation/from-c.md has the details.
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
