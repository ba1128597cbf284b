import ChatelaineIPC
import ChatelaineModel
import ItemStore
import StoreEngine
import SystemCalls

/// Carries out what concerns the store as a whole, and tells of it in the words of the wire.
enum StoreHandler {
    static func snapshots(
        _ command: SnapshotCommand, _ passcode: GivenPasscode?, _ context: inout RequestContext
    ) throws(KeychainError) -> [SnapshotRecord] {
        let (slot, log) = (context.keychainSlot, context.services.log)
        if command.isGuarded {
            try context.requirePasscode(
                passcode, for: "replaces or deletes copies of the keychain", command: "security snapshot")
        }
        switch command {
        case .list: return try slot.snapshots.list().map { record($0) }
        case .take: return [record(try slot.keychain().store.takeSnapshot(.request))]
        case .restore(let name):
            let restored = try slot.restore(name)
            log.notice(
                "a snapshot was made the store", ["snapshot": name, "replaced": restored.replaced ?? "nothing"])
            return [record(restored.snapshot, replaced: restored.replaced)]
        case .delete(let name):
            let deleted = try slot.snapshots.delete(name)
            log.notice("a snapshot was deleted", ["snapshot": deleted.name])
            return [record(deleted)]
        case .deleteAll(let kept):
            let deleted = try slot.snapshots.deleteAll(keeping: Int(clamping: kept))
            for snapshot in deleted { log.notice("a snapshot was deleted", ["snapshot": snapshot.name]) }
            return deleted.map { record($0) }
        }
    }

    static func check(_ request: CheckStore, _ context: inout RequestContext) throws(KeychainError) -> CheckStep {
        let (store, log) = (try context.opened.store, context.services.log)
        let found = try store.check(from: Int64(clamping: request.position))
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

    /// Tells of damaged items by their names where they are of groups that the caller may know.
    static func losses(_ command: LossCommand, _ context: inout RequestContext) throws(KeychainError) -> LossSummary {
        let (store, caller) = (try context.opened.store, try context.caller)
        let reported: LossReport? =
            switch command {
            case .show: LossReport.sum(try store.losses())
            case .acknowledge: try store.acknowledgeLosses()
            }
        // A program that is refused knows no item by its name.
        let (items, total) = try store.setAsideItems(groups: caller.refusal == nil ? caller.groups : [])
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
                attributes: item.attributes)
        }
        return summary
    }
}
