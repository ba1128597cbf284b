import Glibc

/// The handlers with which Swift's runtime shows a backtrace when a process crashes on a terminal.
package enum CrashHandlers {
    /// Gives crash signals back to the system: a backtrace prints the memory that registers point to, which may be a
    /// secret. Every process of ours that holds one calls this first.
    package static func remove() {
        for number in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] { signal(number, SIG_DFL) }
    }
}
