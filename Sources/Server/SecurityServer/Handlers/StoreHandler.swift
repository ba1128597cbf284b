import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import FileKeychains
import ItemStore
import StoreEngine
import SystemCalls

/// Carries out requests about the store as a whole, and translates the results to the types of the wire.
enum StoreHandler {
    static let routes: [RequestRoute] = [.init(passcode: snapshots), .init(check), .init(losses)]

    static func snapshots(
        _ command: SnapshotCommand, _ passcode: GivenPasscode?, _ context: inout RequestContext
    ) throws(KeychainError) -> [SnapshotRecord] {
        if command.isGuarded {
            try context.requirePasscode(
                passcode, for: "replaces or deletes copies of the keychain", command: "security snapshot")
        }
        if let keychain = command.keychain {
            return try snapshots(command, of: keychain, isProven: passcode != nil, &context)
        }
        let (slot, log) = (context.keychainSlot, context.services.log)
        switch command {
        case .list: return try slot.snapshots.list().map { record($0) }
        case .take: return [record(try slot.keychain().store.takeSnapshot(.request))]
        case .restore(let name, _):
            let restored = try slot.restore(name)
            log.notice(
                "a snapshot was made the store", ["snapshot": name, "replaced": restored.replaced ?? "nothing"])
            return [record(restored.snapshot, replaced: restored.replaced)]
        case .delete(let name, _):
            let deleted = try slot.snapshots.delete(name)
            log.notice("a snapshot was deleted", ["snapshot": deleted.name])
            return [record(deleted)]
        case .deleteAll(let kept, _):
            let deleted = try slot.snapshots.deleteAll(keeping: Int(clamping: kept))
            for snapshot in deleted { log.notice("a snapshot was deleted", ["snapshot": snapshot.name]) }
            return deleted.map { record($0) }
        }
    }

    private static func snapshots(
        _ command: SnapshotCommand, of keychain: String, isProven: Bool, _ context: inout RequestContext
    ) throws(KeychainError) -> [SnapshotRecord] {
        let (keychains, log) = (context.services.fileKeychains, context.services.log)
        let path = try keychains.path(keychain)
        if case .restore(let name, _) = command {
            context.access.neededFile = path.text
            let restored = try keychains.withKeychain(at: path) { (slot) throws(KeychainError) in
                try slot.restore(name, isProven: isProven)
            }
            log.notice(
                "a snapshot was made the keychain",
                ["snapshot": name, "replaced": restored.replaced, "keychain": path.text])
            return [record(restored.snapshot, replaced: restored.replaced)]
        }
        let records = try keychains.withKeychain(at: path) { (slot) throws(KeychainError) -> [Snapshot] in
            switch command {
            case .take: [try slot.takeSnapshot()]
            case .list: try slot.keychain.snapshots()
            case .delete(let name, _):
                try slot.keychain.deleteSnapshots { (present) throws(KeychainError) in [try present.delete(name)] }
            case .deleteAll(let kept, _):
                try slot.keychain.deleteSnapshots { (present) throws(KeychainError) in
                    try present.deleteAll(keeping: Int(clamping: kept))
                }
            case .restore: throw KeychainError(.internalComponent, "a restoration is no look")
            }
        }
        if command.isGuarded {
            for snapshot in records {
                log.notice("a snapshot was deleted", ["snapshot": snapshot.name, "keychain": path.text])
            }
        }
        return records.map { record($0) }
    }

    static func check(_ request: CheckStore, _ context: inout RequestContext) throws(KeychainError) -> CheckStep {
        let log = context.services.log
        let found = try Self.withStore(of: request.keychain, context) { (store) throws(KeychainError) in
            try store.check(from: Int64(clamping: request.position))
        }
        var step = CheckStep()
        step.next = found.next.map { UInt64(clamping: $0) }
        step.rows = UInt64(clamping: found.rows)
        step.locked = UInt64(clamping: found.locked)
        step.total = found.total.map { UInt64(clamping: $0) }
        step.structure = found.structure
        step.findings = found.findings.map { finding in
            CheckStep.Finding(
                item: finding.identifier, itemClass: finding.itemClass, reason: finding.reason,
                outcome: finding.outcome)
        }
        for finding in step.findings { log.warning("a check found a damaged item", ["reason": finding.reason.word]) }
        for text in step.structure { log.error("a check found the store damaged", ["finding": text]) }
        return step
    }

    /// Runs `body` with the store of a file keychain, or with that of the data protection keychain where none is named.
    private static func withStore<Answer>(
        of keychain: String?, _ context: RequestContext, _ body: (ItemStore) throws(KeychainError) -> Answer
    ) throws(KeychainError) -> Answer {
        guard let keychain else { return try body(try context.opened.store) }
        let keychains = context.services.fileKeychains
        return try keychains.withKeychain(at: try keychains.path(keychain)) { (keychain) throws(KeychainError) in
            try keychain.withStore(body)
        }
    }

    private static func record(_ snapshot: Snapshot, replaced: String? = nil) -> SnapshotRecord {
        SnapshotRecord(
            name: snapshot.name, sequence: snapshot.sequence, date: snapshot.date,
            reason: snapshot.reason, items: UInt64(clamping: snapshot.items), bytes: UInt64(clamping: snapshot.bytes),
            replaced: replaced)
    }

    /// Reports losses.
    ///
    /// Damaged items are named where their groups are the caller's.
    static func losses(_ command: LossCommand, _ context: inout RequestContext) throws(KeychainError) -> LossSummary {
        let caller = try context.caller
        // A refused program learns no names. Any program may read the names in a file keychain.
        let known = command.keychain == nil ? caller.groups : [FileKeychain.group]
        let groups = caller.refusal == nil ? known : []
        let (reported, (items, total)) = try Self.withStore(of: command.keychain, context) {
            (store) throws(KeychainError) in
            let reported: LossReport? =
                switch command {
                case .show: LossReport.sum(try store.losses())
                case .acknowledge: try store.acknowledgeLosses()
                }
            return (reported, try store.setAsideItems(groups: groups))
        }
        if case .acknowledge(let path?) = command {
            let keychains = context.services.fileKeychains
            try keychains.withKeychain(at: try keychains.path(path)) { (keychain) throws(KeychainError) in
                keychain.keychain.noteAcknowledgement()
            }
        }
        var summary = LossSummary()
        summary.missing = reported.map { report in
            LossSummary.Missing(
                changes: report.changes, since: report.since, sinceDate: report.sinceDate,
                lost: UInt64(clamping: report.lost), restored: UInt64(clamping: report.restored),
                setAside: UInt64(clamping: report.setAside), altered: UInt64(clamping: report.altered),
                isOpen: report.isOpen)
        }
        summary.total = UInt64(clamping: total)
        summary.setAside = items.map { item in
            LossSummary.SetAside(
                item: item.identifier, itemClass: item.itemClass, reason: item.reason, date: item.date,
                attributes: item.attributes, isVerified: item.isVerified)
        }
        return summary
    }
}
