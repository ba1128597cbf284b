/* Stands in for a person at a display of X: sees a window, types into it, and takes a picture.

       person wait            until a window of some size is shown, which then has the keyboard
       person type TEXT       presses the keys of that text, and Return
       person press KEY…      keys by their names, such as Escape
       person picture FILE    of the whole display, as a portable pixmap
       person gone            until no such window is shown any more */

#include <X11/XKBlib.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/extensions/XTest.h>
#include <X11/keysym.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A dialog is larger than this; helpers of a toolkit's that nobody sees are not. */
enum { least_size = 100, patience = 60, looks_a_second = 20 };

static int ignore_error(Display *display, XErrorEvent *event) {
    (void)display;
    (void)event;
    return 0;
}

/* The uppermost window that is shown; None where there is none. */
static Window shown_window(Display *display) {
    Window root, parent, *children = NULL, found = None;
    unsigned count = 0;
    if (XQueryTree(display, DefaultRootWindow(display), &root, &parent, &children, &count) == 0) return None;
    for (unsigned index = count; index-- > 0 && found == None;) {
        XWindowAttributes attributes;
        if (XGetWindowAttributes(display, children[index], &attributes) == 0) continue;
        if (attributes.map_state != IsViewable || attributes.class != InputOutput) continue;
        if (attributes.width < least_size || attributes.height < least_size) continue;
        found = children[index];
    }
    if (children != NULL) XFree(children);
    return found;
}

static int await_window(Display *display, int wanted) {
    for (int look = 0; look < patience * looks_a_second; look++) {
        Window window = shown_window(display);
        if (wanted && window != None) {
            /* As a window manager would, of which there is none. */
            XSetInputFocus(display, window, RevertToParent, CurrentTime);
            XSync(display, False);
            return 0;
        }
        if (!wanted && window == None) return 0;
        usleep(1000000 / looks_a_second);
    }
    return 1;
}

static void press(Display *display, KeyCode key) {
    XTestFakeKeyEvent(display, key, True, CurrentTime);
    XTestFakeKeyEvent(display, key, False, CurrentTime);
    XSync(display, False);
    usleep(20000);
}

static int type(Display *display, const char *text) {
    for (; *text != '\0'; text++) {
        /* Latin 1 has the numbers of its characters; only what needs no second key is typed. */
        KeyCode key = XKeysymToKeycode(display, (KeySym)(unsigned char)*text);
        if (key == 0 || XkbKeycodeToKeysym(display, key, 0, 0) != (KeySym)(unsigned char)*text) {
            fprintf(stderr, "no key for %c\n", *text);
            return 1;
        }
        press(display, key);
    }
    press(display, XKeysymToKeycode(display, XK_Return));
    return 0;
}

static int picture(Display *display, const char *path) {
    XWindowAttributes whole;
    XGetWindowAttributes(display, DefaultRootWindow(display), &whole);
    XImage *image = XGetImage(
        display, DefaultRootWindow(display), 0, 0, (unsigned)whole.width, (unsigned)whole.height, AllPlanes, ZPixmap);
    FILE *file = fopen(path, "w");
    if (image == NULL || file == NULL) return 1;
    fprintf(file, "P6\n%d %d\n255\n", whole.width, whole.height);
    for (int y = 0; y < whole.height; y++) {
        for (int x = 0; x < whole.width; x++) {
            unsigned long pixel = XGetPixel(image, x, y);
            putc((int)(pixel >> 16 & 0xFF), file);
            putc((int)(pixel >> 8 & 0xFF), file);
            putc((int)(pixel & 0xFF), file);
        }
    }
    XDestroyImage(image);
    return fclose(file) == 0 ? 0 : 1;
}

int main(int count, char **words) {
    Display *display = XOpenDisplay(NULL);
    if (display == NULL || count < 2) return 2;
    XSetErrorHandler(ignore_error);
    int status = 2;
    if (strcmp(words[1], "wait") == 0) status = await_window(display, 1);
    if (strcmp(words[1], "gone") == 0) status = await_window(display, 0);
    if (strcmp(words[1], "type") == 0 && count == 3) status = type(display, words[2]);
    if (strcmp(words[1], "press") == 0) status = 0;
    for (int index = 2; status == 0 && strcmp(words[1], "press") == 0 && index < count; index++) {
        KeyCode key = XKeysymToKeycode(display, XStringToKeysym(words[index]));
        if (key != 0) press(display, key);
        status = key == 0;
    }
    if (strcmp(words[1], "picture") == 0 && count == 3) status = picture(display, words[2]);
    XCloseDisplay(display);
    return status;
}
