import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Glibc
import SystemCalls

/// Carries out the user's decisions about programs, and translates the records to the types of the wire.
struct ApplicationHandler {
    static let routes: [RequestRoute] = [.init(passcode: carryOut)]

    private let opened: IdentityService.Opened
    private let log: Log
    private let refusals: Refusals

    static func carryOut(
        _ command: ApplicationCommand, _ passcode: GivenPasscode?, _ context: inout RequestContext
    ) throws(KeychainError) -> [ApplicationDecision] {
        let services = context.services
        let opened = try services.identified()
        let handler = ApplicationHandler(opened: opened, log: services.log, refusals: services.refusals)
        guard let decision = try handler.decision(of: command) else { return handler.records() }
        let record: ApplicationRecord?
        if let passcode {
            guard opened.ledger.needsEndorsement else {
                throw KeychainError(.param, "there is no passcode; decisions about programs need none")
            }
            record = try services.identities.carryOut(decision, passcode)
        } else {
            record = try opened.ledger.carryOut(decision)
        }
        return handler.told(of: decision, record)
    }

    private func decision(of command: ApplicationCommand) throws(KeychainError) -> ApplicationLedger.Decision? {
        switch command {
        case .list: nil
        case .accept(let path): try opened.resolver.acceptance(of: path)
        case .develop(let path): try opened.ledger.declaration(of: path)
        case .forget(let path): try opened.ledger.withdrawal(of: path)
        }
    }

    private func told(
        of decision: ApplicationLedger.Decision, _ record: ApplicationRecord?
    ) -> [ApplicationDecision] {
        guard let record else { return [] }
        refusals.settle(record.path, of: opened.ledger.user)
        switch decision {
        case .accept, .acceptChange, .confirmAll, .addTeam, .removeTeam, .setTrust:
            log.notice("a changed program was accepted", ["path": record.path.text])
        case .develop: log.notice("a program was declared as in development", ["path": record.path.text])
        case .forget:
            log.notice("a decision about a program was taken back", ["path": record.path.text])
            return [Self.record(record, state: .pinned)]
        }
        return records(at: record.path)
    }

    private func records(at path: CanonicalPath? = nil) -> [ApplicationDecision] {
        let adoptions = opened.ledger.adoptions().filter { path == nil || $0.path == path }
        return opened.resolver.applications(at: path).map {
            Self.record($0.record, state: $0.state, isConfirmed: opened.ledger.counts($0.record))
        }
            + adoptions.map {
                ApplicationDecision(
                    path: $0.path.text, state: .adopted, digest: $0.digest.bytes,
                    date: Double($0.date - ReferenceDate.secondsSince1970))
            }
            + opened.ledger.changes().filter { path == nil || $0.path == path }.map {
                var decision = ApplicationDecision(
                    path: $0.path.text, state: .accepted, digest: $0.digest.bytes,
                    date: Double($0.date - ReferenceDate.secondsSince1970))
                decision.former = $0.former.bytes
                return decision
            }
    }

    private static func record(
        _ record: ApplicationRecord, state: ApplicationState?, isConfirmed: Bool = true
    ) -> ApplicationDecision {
        let digest: [UInt8]
        if case .pinned(let pinned) = record.kind { digest = pinned.bytes } else { digest = [] }
        let shown: ApplicationDecision.State =
            switch state {
            case _ where !isConfirmed: .unconfirmed
            case _ where digest.isEmpty: .development
            case .pinned: .pinned
            case nil: .missing
            default: .changed
            }
        return ApplicationDecision(
            path: record.path.text, state: shown, digest: digest,
            date: Double((record.accepted ?? record.since) - ReferenceDate.secondsSince1970))
    }
}
