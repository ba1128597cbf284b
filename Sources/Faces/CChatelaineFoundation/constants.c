#include "constants.h"

const SecRandomRef kSecRandomDefault = NULL;

CHATELAINE_CONSTANT(kSecPrivateKeyAttrs, "private")
CHATELAINE_CONSTANT(kSecPublicKeyAttrs, "public")
