import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import Glibc
import SystemCalls

/// Carries out what the user decides about programs, and tells of it in the words of the wire.
struct ApplicationHandler {
    /// Seconds between 1 January 1970 and 1 January 2001.
    private static let referenceDate: Int64 = 978_307_200

    private let opened: IdentityService.Opened
    private let log: Log
    private let refusals: Refusals

    static func carryOut(
        _ command: ApplicationCommand, _ context: inout RequestContext
    ) throws(KeychainError) -> [ApplicationDecision] {
        let services = context.services
        let handler = ApplicationHandler(
            opened: try services.identified(), log: services.log, refusals: services.refusals)
        return try handler.carryOut(command)
    }

    private func carryOut(_ command: ApplicationCommand) throws(KeychainError) -> [ApplicationDecision] {
        switch command {
        case .list: return records()
        case .accept(let path):
            let canonical = try opened.resolver.accept(path)
            log.notice("a changed program was accepted", ["path": canonical.text])
            refusals.settle(canonical, of: opened.ledger.user)
            return records(at: canonical)
        case .develop(let path):
            let canonical = try opened.ledger.develop(path)
            log.notice("a program was declared as in development", ["path": canonical.text])
            refusals.settle(canonical, of: opened.ledger.user)
            return records(at: canonical)
        case .forget(let path):
            let forgotten = try opened.ledger.forget(path)
            log.notice("a decision about a program was taken back", ["path": forgotten.path.text])
            refusals.settle(forgotten.path, of: opened.ledger.user)
            return [Self.record(forgotten, state: .pinned)]
        }
    }

    private func records(at path: CanonicalPath? = nil) -> [ApplicationDecision] {
        opened.resolver.applications(at: path).map { Self.record($0.record, state: $0.state) }
    }

    private static func record(
        _ record: ApplicationRecord, state: ApplicationState?
    ) -> ApplicationDecision {
        let digest: [UInt8]
        if case .pinned(let pinned) = record.kind { digest = pinned.bytes } else { digest = [] }
        let shown: ApplicationDecision.State =
            switch state {
            case _ where digest.isEmpty: .development
            case .pinned: .pinned
            case nil: .missing
            default: .changed
            }
        return ApplicationDecision(
            path: record.path.text, state: shown, digest: digest,
            date: Double((record.accepted ?? record.since) - referenceDate))
    }
}
