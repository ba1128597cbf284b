// A program that includes only Security.h, and uses names of CoreFoundation.h as on Apple's platforms.
#include <LocalAuthentication/LocalAuthentication.h>
#include <Security/Security.h>

#if kLAErrorUserCancel != -2 || kLAPolicyDeviceOwnerAuthentication != 2 || kLAAccessControlOperationUseItem != 1
#error numbers of LAError and LAPolicy
#endif

static jmp_buf place;

static int sum(int count, ...) {
    va_list arguments;
    int total = 0;
    va_start(arguments, count);
    while (count-- > 0) total += va_arg(arguments, int);
    va_end(arguments);
    return total;
}

int main(void) {
    bool fine = true;
    uint32_t number = UINT32_C(7);
    ssize_t length = (ssize_t)strlen("seven");
    time_t now = time(NULL);
    char *text = (char *)malloc(32);
    assert(text != NULL);
    snprintf(text, 32, "%" PRIu32 " %zd", number, length);
    fine = fine && strcmp(text, "7 5") == 0 && isdigit(text[0]) && fabs(-1.0) == 1.0 && DBL_MAX > FLT_MAX;
    fine = fine && sum(2, 3, 4) == 7 && INT_MAX > 0 && localeconv() != NULL && localtime(&now) != NULL;
    fine = fine && offsetof(CFRange, length) == sizeof(CFIndex) && SIGINT != 0 && EINTR != 0;
    free(text);
    if (setjmp(place) == 0) longjmp(place, 1);
    return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}
