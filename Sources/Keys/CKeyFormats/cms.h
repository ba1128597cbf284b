/* What the sources about messages of CMS have in common. */
#ifndef KEY_FORMATS_CMS_H
#define KEY_FORMATS_CMS_H

#include "cms_messages.h"
#include "formats.h"

#include <openssl/cms.h>

/* One of KEY_FORMATS_SHA…; 0 for every other digest, those among them that nobody takes any more. */
int key_formats_digest_number(int name);
/* NULL for what is none. */
X509 *key_formats_certificate(struct key_formats_bytes der);
/* The attributes of a signer in DER, as they are signed; to be freed. What it answers is their length, 0 or less for a failure. */
int key_formats_signed_attributes(const CMS_SignerInfo *signer, unsigned char **bytes);

#endif
