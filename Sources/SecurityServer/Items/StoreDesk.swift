import ChatelaineIPC
import ChatelaineModel
import ItemStore

/// Carries out what concerns the store as a whole, and tells of it in the words of the wire.
struct StoreDesk {
    let slot: KeychainSlot
    let log: Log

    func carryOut(_ command: SnapshotCommand) throws(KeychainError) -> [SnapshotRecord] {
        switch command {
        case .list: return try slot.snapshots.list().map { Self.record($0) }
        case .take: return [Self.record(try slot.keychain().store.takeSnapshot(.request))]
        case .restore(let name):
            let restored = try slot.restore(name)
            log.notice(
                "a snapshot was made the store", ["snapshot": name, "replaced": restored.replaced ?? "nothing"])
            return [Self.record(restored.snapshot, replaced: restored.replaced)]
        case .delete(let name):
            let deleted = try slot.snapshots.delete(name)
            log.notice("a snapshot was deleted", ["snapshot": deleted.name])
            return [Self.record(deleted)]
        case .deleteAll(let kept):
            let deleted = try slot.snapshots.deleteAll(keeping: Int(clamping: kept))
            for snapshot in deleted { log.notice("a snapshot was deleted", ["snapshot": snapshot.name]) }
            return deleted.map { Self.record($0) }
        }
    }

    func check(position: UInt64) throws(KeychainError) -> CheckStep {
        let found = try slot.keychain().store.check(from: Int64(clamping: position))
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

    private static func record(_ snapshot: Snapshot, replaced: String? = nil) -> SnapshotRecord {
        SnapshotRecord(
            name: snapshot.name, sequence: snapshot.sequence, date: snapshot.date,
            reason: snapshot.reason, items: UInt64(clamping: snapshot.items), bytes: UInt64(clamping: snapshot.bytes),
            replaced: replaced)
    }
}
