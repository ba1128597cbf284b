#ifndef CHATELAINE_CFUZZER_H
#define CHATELAINE_CFUZZER_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer as a library (llvm.org/docs/LibFuzzer.html): its own main would clash with the one that SwiftPM makes. */
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));

#endif
