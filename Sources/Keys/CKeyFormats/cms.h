/* Declarations shared by the sources for CMS messages. */
#ifndef KEY_FORMATS_CMS_H
#define KEY_FORMATS_CMS_H

#include "cms_messages.h"
#include "formats.h"

#include <openssl/cms.h>

/* One of KEY_FORMATS_SHA…; 0 for any other digest, including obsolete ones. */
int key_formats_digest_number(int name);
/* NULL for bytes that are no certificate. */
X509 *key_formats_certificate(struct key_formats_bytes der);
/*
 * The attributes of a signer in DER, as they are signed; the caller frees them. Returns their length, 0 or less for a
 * failure.
 */
int key_formats_signed_attributes(const CMS_SignerInfo *signer, unsigned char **bytes);

#endif
