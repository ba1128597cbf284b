import ChatelaineIPC
import Foundation

/// `make bench`: times calls to the keychain beside the bare floor of the same machine in the same run.
///
/// `CHATELAINE_HOME` must name a folder of the run's own; `ITEMS` says how many items the large store has.
@main
enum Bench {
    static let small = 1_000

    static func main() {
        do {
            try run()
        } catch {
            note("\(error)")
            exit(1)
        }
    }

    private static func run() throws {
        switch CommandLine.arguments.dropFirst().first {
        case "floor-enclave": return try FloorEnclave.run()
        case "floor-server":
            return try FloorServer.run(database: CommandLine.arguments[2], scratch: CommandLine.arguments[3])
        case "loop": return try loop(CommandLine.arguments.dropFirst(2).first ?? "secret")
        case "compare": return try Comparison.run(Array(CommandLine.arguments.dropFirst(2)))
        default: break
        }
        guard let home = ProcessInfo.processInfo.environment["CHATELAINE_HOME"] else {
            throw BenchError("CHATELAINE_HOME must name a folder for this run alone")
        }
        // One processor for all: whether two processes share one is the scheduler's whim, and it costs more than a call.
        try Processors.keepToOne()
        let large = ProcessInfo.processInfo.environment["ITEMS"].flatMap { Int($0) } ?? 1_000_000
        var table = Table()
        let first = try measure(Workload(count: small), home, &table)
        if large > small { try measureLarge(Workload(count: large), home, first, &table) }
        table.show()
        try Daemons.running().stop()
    }

    /// Repeats one call for four seconds, for a profiler to look at: `chatelaine-bench loop secret|c|attributes|client|foreign|add|floor|floor-secret|trip`.
    private static func loop(_ what: String) throws {
        let workload = Workload(count: small)
        try workload.fill(from: 0)
        let floor = try FloorClient(
            database: try Deployment.current().storeFolder + "/items.db",
            scratch: try Deployment.current().dataFolder + "/floor")
        let calls = [
            "secret": workload.copySecret, "c": workload.copySecretInC, "attributes": workload.copyAttributes,
            "client": workload.findAttributes,
            "foreign": workload.findForeign, "trip": { _ in { try floor.step(.roundTrip) } },
            "floor": { _ in { try floor.step(.attributes) } }, "add": workload.addThroughSecItem,
            "floor-secret": { _ in { try floor.step(.secret) } },
        ]
        guard let prepare = calls[what] else { throw BenchError("nothing is called \(what)") }
        note("securityd \(try Daemons.running().securityd)")
        let end = Samples.now + 4_000_000_000
        var samples = Samples()
        var step = 0
        while Samples.now < end {
            let call = prepare(step)
            try samples.measure { try call() }
            step += 1
        }
        note("\(step) calls, median \(Table().text(samples.median)) µs")
    }

    private struct Result {
        /// A look-up with its secret, as a multiple of a bare round trip in the same minute.
        var lookUpInTrips: Double
        var pss: Double?
    }

    private static func measure(_ workload: Workload, _ home: String, _ table: inout Table) throws -> Result {
        note("storing \(workload.count) items")
        try workload.fill(from: 0)
        let database = try Deployment.current().storeFolder + "/items.db"
        let floor = try FloorClient(database: database, scratch: home + "/floor.db")

        note("look-ups")
        let secret = try Measurements.pair({ try floor.step(.secret) }, workload.copySecret)
        table.add("look-up with secret, SecItemCopyMatching", secret.call, floor: secret.floor, atMost: 2)
        let trips = try Measurements.pair({ try floor.step(.roundTrip) }, workload.copySecret)
        let client = try Measurements.pair({ try floor.step(.attributes) }, workload.findAttributes)
        table.add("look-up of attributes, IPC client", client.call, floor: client.floor, atMost: 1.5)
        let foreign = try Measurements.compare(workload.copySecret, workload.copySecretInC)
        table.add(
            "look-up with secret, C caller", "\(table.text(foreign.call)) µs",
            floor: "Swift caller: \(table.text(foreign.floor)) µs", ratio: table.text(foreign.call / foreign.floor),
            target: "≤ 1.10 ×")
        let attributes = try Measurements.pair({ try floor.step(.attributes) }, workload.copyAttributes)
        table.add("look-up of attributes, SecItemCopyMatching", attributes.call, floor: attributes.floor, atMost: 3.5)

        note("additions")
        let add = try Measurements.pair(calls: 1_000, { try floor.step(.add) }, workload.addThroughSecItem)
        table.add("add, SecItemAdd", add.call, floor: add.floor, atMost: 1.5)

        note("listings")
        for (what, attributes, target) in [("data", false, 20), ("attributes", true, 60)] {
            let each = try Measurements.listing(workload, attributes: attributes)
            table.add(
                "find all, \(Workload.listedCount) hits, \(what), each hit", "\(table.text(each)) µs",
                target: "≤ \(target) µs")
        }

        if let tool = ProcessInfo.processInfo.environment["CHATELAINE_TOOL"] {
            note("the tool as a whole process")
            let each = try Measurements.tool(tool)
            table.add("security item find, whole process", "\(table.text(each)) ms", target: "≤ 15 ms")
        }

        note("throughput")
        try Processors.useAll(with: try Daemons.running())
        defer { try? Processors.keepToOne(with: try Daemons.running()) }
        _ = try Measurements.throughput(workload, threads: 8)
        let one = try Measurements.throughput(workload, threads: 1)
        let eight = try Measurements.throughput(workload, threads: 8)
        table.add(
            "8 clients, look-ups a second", "\(Int(eight))", floor: "1 client: \(Int(one))",
            ratio: table.text(eight / one),
            target: "≥ 1.50 ×")
        return Result(lookUpInTrips: trips.call / trips.floor, pss: try Daemons.running().pss)
    }

    private static func measureLarge(
        _ workload: Workload, _ home: String, _ first: Result, _ table: inout Table
    ) throws {
        note("storing \(workload.count) items: this takes minutes")
        try Processors.useAll(with: try Daemons.running())
        try workload.fill(from: small)
        try Processors.keepToOne(with: try Daemons.running())
        let floor = try FloorClient(
            database: try Deployment.current().storeFolder + "/items.db", scratch: home + "/floor.db")
        note("look-ups among \(workload.count)")
        // Machines that others use change their pace within minutes; a bare round trip tells by how much.
        let secret = try Measurements.pair({ try floor.step(.roundTrip) }, workload.copySecret)
        let before = first.lookUpInTrips * secret.floor
        table.add(
            "look-up with secret, \(workload.count) items", "\(table.text(secret.call)) µs",
            floor: "\(small) items, at this pace: \(table.text(before)) µs", ratio: table.text(secret.call / before),
            target: "≤ 1.30 ×")
        note("starts")
        let start = try Measurements.start(workload)
        table.add("no daemon to first answer, \(workload.count) items", "\(table.text(start)) ms", target: "≤ 150 ms")
        let pss = try Daemons.running().pss
        if let pss, let before = first.pss {
            table.add(
                "memory of both daemons (Pss), \(workload.count) items", "\(table.text(pss)) MiB",
                floor: "\(small) items: \(table.text(before)) MiB", ratio: "", target: "≤ 40 MiB, + 5 MiB")
        }
        note("damage")
        let damaged = try Measurements.damaged(workload, database: try Deployment.current().storeFolder + "/items.db")
        table.add(
            "damaged store to first answer, \(workload.count) items", "\(table.text(damaged.first)) ms",
            target: "≤ 5000 ms")
        table.add(
            "look-up during a recovery, \(workload.count) items", "\(table.text(damaged.next)) µs",
            floor: "whole store: \(table.text(secret.call)) µs", ratio: table.text(damaged.next / secret.call),
            target: "≤ 1.5 ×")
        table.add(
            "the same look-ups again, \(workload.count) items", "\(table.text(damaged.again)) µs",
            floor: "whole store: \(table.text(secret.call)) µs", ratio: table.text(damaged.again / secret.call),
            target: "≤ 1.5 ×")
    }

    private static func note(_ text: String) { FileHandle.standardError.write(Data("bench: \(text)\n".utf8)) }
}
