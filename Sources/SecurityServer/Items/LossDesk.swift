import ChatelaineIPC
import ChatelaineModel
import ItemStore

/// Tells of what was lost in the words of the wire, and takes note that somebody knows of it.
struct LossDesk {
    let store: ItemStore

    /// - Parameter groups: those whose damaged items the caller may know by name.
    func carryOut(_ command: LossCommand, groups: [AccessGroup]) throws(KeychainError) -> LossSummary {
        let reported: LossReport? =
            switch command {
            case .show: LossReport.sum(try store.losses())
            case .acknowledge: try store.acknowledgeLosses()
            }
        let (items, total) = try store.setAsideItems(groups: groups)
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
