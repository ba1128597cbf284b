import ChatelaineIPC
import ChatelaineSystem
import Glibc
import ServerIPC
import SystemCalls

extension Daemon {
    /// Ends the process in order on SIGTERM and SIGINT: it locks the file keychains and tells systemd.
    ///
    /// Locking completes the files of the keychains and leaves nothing beside them. Nothing else needs to be done:
    /// acknowledged changes are on disk, and a client repeats a request that was not acknowledged.
    static func endOnSignals(_ services: Services, _ manager: ServiceManager) {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        // Every later thread inherits the mask, so that only the worker below is woken.
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
