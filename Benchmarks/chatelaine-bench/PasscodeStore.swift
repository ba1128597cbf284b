import ChatelaineIPC
import Foundation

/// Measures a passcode, and items that require user presence, in a store of usual size.
struct PasscodeStore {
    /// The number of items that require user presence, besides the items that are looked up.
    private static let guarded = 1_000

    let workload: Workload
    let home: String

    /// Leaves the passcode set and the store unlocked.
    func measure(_ table: inout Table) throws {
        Bench.note("a passcode")
        try BenchPasscode.set()
        try Measurements.unlocking(&table)
        try workload.fillWithGuarded(Self.guarded)
        let database = try Deployment.current().storeFolder + "/items.db"
        let floor = try FloorClient(database: database, scratch: home + "/floor-guarded.db")
        for call in TimedCall.lookUps {
            try call.measure(workload, floor, &table, suffix: ", beside \(Self.guarded) that ask")
        }
        try Measurements.reusedContext(workload, &table)
        Bench.note("callers that wait")
        try Measurements.lookUpsBesideWaiting(workload, home: home, &table)
    }
}
