import ChatelaineIPC
import ChatelaineModel

/// Reports the state of the daemon and the identity of the caller.
///
/// It fails for no caller.
enum StatusHandler {
    static let routes: [RequestRoute] = [.init(report)]

    static func report(_: ReadStatus, _ context: inout RequestContext) throws(KeychainError) -> DaemonReport {
        let caller = Result { () throws(KeychainError) in try context.identified() }
        return StatusReport(services: context.services).make(for: caller)
    }
}
