import ChatelaineIPC
import Foundation

/// The measurements in a store of very many items.
struct LargeStore {
    let workload: Workload
    let home: String

    private var suffix: String { ", \(workload.count) items" }

    /// - Parameter pss: the memory of the daemons with a store of ``Bench/small`` items.
    func measure(_ table: inout Table, pss before: Double?) throws {
        let database = try Self.database
        Bench.note("look-ups among \(workload.count)")
        do {
            let floor = try FloorClient(database: database, scratch: home + "/floor.db")
            for call in TimedCall.lookUps { try call.measure(workload, floor, &table, suffix: suffix) }
        }
        Bench.note("a passcode")
        try Measurements.unlocking(&table, suffix: suffix)
        // Daemons that start anew must be unlocked at once.
        try BenchPasscode.remove()
        Bench.note("starts")
        let start = try Measurements.start(workload)
        table.add("no daemon to first answer" + suffix, "\(table.text(start)) ms", target: "≤ 150 ms")
        if let pss = try Daemons.running().pss, let before {
            table.add(
                "memory of both daemons (Pss)" + suffix, "\(table.text(pss)) MiB",
                floor: "\(Bench.small) items: \(table.text(before)) MiB", target: "≤ 30 MiB, + 5 MiB")
        }
        Bench.note("damage")
        try measureDamage(&table)
    }

    private static var database: String { get throws { try Deployment.current().storeFolder + "/items.db" } }

    func measureDamage(_ table: inout Table) throws {
        let database = try Self.database
        let whole = try Measurements.lookUps(workload)
        let damaged = try Measurements.damaged(workload, database: database)
        table.add("damaged store to first answer" + suffix, "\(table.text(damaged.first)) ms", target: "≤ 5000 ms")
        for (what, share) in [("", 0.5), (", 9 of 10", 0.9)] {
            let floor = whole.percentile(share)
            for (which, samples) in [
                ("look-up during a recovery", damaged.next), ("the same look-ups again", damaged.again),
            ] {
                let time = samples.percentile(share)
                table.add(
                    which + what + suffix, "\(table.text(time)) µs", floor: "whole store: \(table.text(floor)) µs",
                    ratio: table.text(time / floor), target: share == 0.5 ? "≤ 1.5 ×" : "")
            }
        }
    }
}
