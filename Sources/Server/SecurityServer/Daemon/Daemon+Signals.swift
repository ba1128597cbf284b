import ChatelaineIPC
import Glibc
import ServerIPC
import ChatelaineSystem
import SystemCalls

extension Daemon {
    /// Ends the process in order on SIGTERM and SIGINT: what is kept for speed is written, systemd is told.
    ///
    /// File keychains are locked, so that their files are complete and nothing lies beside them. Nothing else needs to be done: what was
    /// acknowledged is on disk, and a client repeats what was not.
    static func endOnSignals(_ services: Services, _ manager: ServiceManager) {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        // Before there is a second thread: every later one inherits the mask, so that only this one is woken.
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        _ = Worker.start {
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGTERM)
            sigaddset(&signals, SIGINT)
            var received: Int32 = 0
            while sigwait(&signals, &received) != 0 {}
            manager.sendStopping()
            services.log.notice("securityd ends", ["signal": "\(received)"])
            services.fileKeychains.end()
            exit(0)
        }
    }
}
