/* Constants of LocalAuthentication. LAContext itself is an object that programs in Swift use: C has no name for it on any platform. */
#ifndef CHATELAINE_LOCALAUTHENTICATION_H
#define CHATELAINE_LOCALAUTHENTICATION_H

#include <LocalAuthentication/LAPublicDefines.h>

#endif
