/* Constants of LocalAuthentication. Only Swift programs use LAContext itself: C has no name for it on any platform. */
#ifndef CHATELAINE_LOCALAUTHENTICATION_H
#define CHATELAINE_LOCALAUTHENTICATION_H

#include <LocalAuthentication/LAPublicDefines.h>

#endif
