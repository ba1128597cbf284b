import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import Glibc

/// Carries out what the user decides about programs, and tells of it in the words of the wire.
struct ApplicationDesk {
    /// Seconds between 1 January 1970 and 1 January 2001.
    private static let referenceDate: Int64 = 978_307_200

    let opened: OpenedKeychain
    let log: Log

    func carryOut(_ command: ApplicationCommand) throws(KeychainError) -> [ApplicationDecision] {
        switch command {
        case .list: return records()
        case .accept(let path):
            try opened.judge.accept(path)
            log.notice("a changed program was accepted", ["path": path])
            return records(at: Self.canonical(path))
        case .develop(let path):
            let canonical = try opened.ledger.develop(path)
            log.notice("a program was declared as in development", ["path": canonical])
            return records(at: canonical)
        case .forget(let path):
            let forgotten = try opened.ledger.forget(path)
            log.notice("a decision about a program was taken back", ["path": forgotten.path])
            return [Self.record(forgotten, state: .pinned)]
        }
    }

    private func records(at path: String? = nil) -> [ApplicationDecision] {
        opened.judge.applications().compactMap { record, state in
            guard path == nil || record.path == path else { return nil }
            return Self.record(record, state: state)
        }
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
            path: record.path, state: shown, digest: digest,
            date: Double((record.accepted ?? record.since) - referenceDate))
    }

    private static func canonical(_ path: String) -> String {
        realpath(path, nil).map { resolved in
            defer { free(resolved) }
            return String(cString: resolved)
        } ?? path
    }
}
