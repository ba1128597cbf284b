import Glibc

/// Swift's crash handlers, which show a backtrace when a process crashes on a terminal.
package enum CrashHandlers {
    /// Restores the default action of crash signals; every process of ours that holds a secret calls this first.
    ///
    /// A backtrace prints the memory that registers point to, which may be a secret.
    package static func remove() {
        for number in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] { signal(number, SIG_DFL) }
    }
}
