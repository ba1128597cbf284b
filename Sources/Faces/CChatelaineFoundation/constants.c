#include "constants.h"

const SecRandomRef kSecRandomDefault = NULL;
