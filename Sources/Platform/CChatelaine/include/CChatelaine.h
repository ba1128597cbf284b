/* The C calls that Swift's Glibc module lacks, as thin wrappers. Every function sets errno and returns -1 on failure,
   as the call it wraps. */
#ifndef CCHATELAINE_H
#define CCHATELAINE_H

#include "chatelaine_complaint.h"
#include "chatelaine_files.h"
#include "chatelaine_kernel.h"
#include "chatelaine_memory.h"
#include "chatelaine_process.h"
#include "chatelaine_sandbox.h"
#include "chatelaine_socket.h"
#include "chatelaine_spawn.h"

#endif
