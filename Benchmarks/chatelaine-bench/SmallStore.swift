import Foundation

/// The measurements in a store of usual size.
struct SmallStore {
    let workload: Workload
    let floor: FloorClient
    let store: String

    /// Measures everything, and returns the memory of both daemons in MiB, for comparison with larger stores.
    func measure(_ table: inout Table) throws -> Double? {
        Bench.note("look-ups")
        for call in TimedCall.lookUps + TimedCall.others { try call.measure(workload, floor, &table) }
        try measureCCaller(&table)
        try measureProcessorTime(&table)
        Bench.note("listings")
        try measureListings(&table)
        Bench.note("whole processes")
        try measureProcesses(&table)
        Bench.note("changes")
        for call in TimedCall.changes { try call.measure(workload, floor, &table) }
        let pss = try Daemons.running().pss
        Bench.note("client processes")
        try Throughput(workload: workload, floor: floor, store: store).measure(&table)
        return pss
    }

    private func measureCCaller(_ table: inout Table) throws {
        let foreign = try Measurements.compare(workload.copySecret, workload.copySecretInC)
        table.add(
            "look-up with secret, C caller", "\(table.text(foreign.call)) µs",
            floor: "Swift caller: \(table.text(foreign.floor)) µs", ratio: table.text(foreign.call / foreign.floor),
            target: "≤ 1.10 ×")
    }

    private func measureProcessorTime(_ table: inout Table) throws {
        let seconds = try Measurements.processorTime(floor, .secret, workload.copySecret)
        table.add(
            "processor time of 10 000 look-ups, all processes", "\(table.text(seconds.call)) s",
            floor: "\(table.text(seconds.floor)) s", ratio: table.text(seconds.call / seconds.floor), target: "≤ 1.45 ×"
        )
    }

    private func measureListings(_ table: inout Table) throws {
        let name = "find all, \(Workload.listedCount) hits"
        let data = try Measurements.listing({ try floor.list(.listData) }, { try workload.list(attributes: false) })
        table.add("\(name), data, each hit", data.call, floor: data.floor, atMost: 1.3)
        let found = try workload.list(attributes: true).compactMap { $0 as? NSDictionary }
        let dictionaries = try FloorDictionaries(like: found)
        try BenchError.check(dictionaries.make().isEqual(to: found), "the floor builds other dictionaries")
        let attributes = try Measurements.listing(
            {
                try floor.list(.listAttributes)
                try BenchError.check(dictionaries.make().count == Workload.listedCount, "dictionaries are missing")
            }, { try workload.list(attributes: true) })
        table.add("\(name), attributes, each hit", attributes.call, floor: attributes.floor, atMost: 1.3)
    }

    private func measureProcesses(_ table: inout Table) throws {
        let first = (call: try Measurements.firstCall(workload), floor: try floor.firstCall())
        table.add(
            "process that makes one look-up, whole", "\(table.text(first.call)) ms",
            floor: "\(table.text(first.floor)) ms", ratio: table.text(first.call / first.floor), target: "≤ 1.30 ×")
        if let tool = ProcessInfo.processInfo.environment["CHATELAINE_TOOL"] {
            let each = try Measurements.tool(tool)
            table.add("security item find, whole process", "\(table.text(each)) ms", target: "≤ 15 ms")
        }
    }
}
