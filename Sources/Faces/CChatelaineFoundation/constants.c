#include "constants.h"

const SecRandomRef kSecRandomDefault = NULL;

CHATELAINE_CONSTANT(kSecPrivateKeyAttrs, "private")
CHATELAINE_CONSTANT(kSecPublicKeyAttrs, "public")

CHATELAINE_CONSTANT(kSecPropertyKeyLabel, "label")
CHATELAINE_CONSTANT(kSecPropertyKeyLocalizedLabel, "localized label")
CHATELAINE_CONSTANT(kSecPropertyKeyType, "type")
CHATELAINE_CONSTANT(kSecPropertyKeyValue, "value")
CHATELAINE_CONSTANT(kSecPropertyTypeArray, "array")
CHATELAINE_CONSTANT(kSecPropertyTypeData, "data")
CHATELAINE_CONSTANT(kSecPropertyTypeDate, "date")
CHATELAINE_CONSTANT(kSecPropertyTypeNumber, "number")
CHATELAINE_CONSTANT(kSecPropertyTypeSection, "section")
CHATELAINE_CONSTANT(kSecPropertyTypeString, "string")
CHATELAINE_CONSTANT(kSecPropertyTypeSuccess, "success")
CHATELAINE_CONSTANT(kSecPropertyTypeURL, "url")
CHATELAINE_CONSTANT(kSecPropertyTypeWarning, "warning")
