import ChatelaineIPC
import Foundation

/// `make bench`: times calls to the keychain, and beside them the bare floor of the same machine in the same run.
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
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "floor-enclave": return try FloorEnclave.run()
        case "floor-server": return try FloorServer.run(database: arguments[1], scratch: arguments[2])
        case "client": return try ClientProcess.run(Array(arguments.dropFirst()))
        case "fill": return try HomeFilling.run(arguments.dropFirst().first.flatMap { Int($0) } ?? small)
        case "loop": return try loop(arguments.dropFirst().first ?? "secret")
        case "damage": try damage(arguments.dropFirst().first.flatMap { Int($0) } ?? small)
        case "newkeys": try newKeys(arguments.dropFirst().first.flatMap { Int($0) } ?? small)
        case "passcode": try passcode(arguments.dropFirst().first.flatMap { Int($0) } ?? small)
        case "signed": try signed()
        case "keys": try keys()
        case "keychain-keys": try keychainKeys()
        case "trust": try trust()
        case "processes": try processes()
        case "changes": try changes()
        case "keychains": try keychains(arguments.dropFirst().first.flatMap { Int($0) } ?? 0)
        case "waiters" where arguments.count == 3:
            return try WaitingCallers.lead(terminal: arguments[1], folder: arguments[2])
        case "wait": return try WaitingCallers.wait(arguments.dropFirst().first.flatMap { Int($0) } ?? 1)
        case "compare": return try Comparison.run(Array(arguments.dropFirst()))
        default: try measure()
        }
    }

    private static func measure() throws {
        guard let home = ProcessInfo.processInfo.environment["CHATELAINE_HOME"] else {
            throw BenchError("CHATELAINE_HOME must name a folder for this run alone")
        }
        // All processes run on one processor. Otherwise the scheduler decides whether two of them share one, and the
        // difference costs more than a call.
        try Processors.keepToOne()
        let large = ProcessInfo.processInfo.environment["ITEMS"].flatMap { Int($0) } ?? 1_000_000
        var table = Table()
        let pss = try measureSmall(home, &table)
        if large > small {
            note("storing \(large) items: this takes minutes")
            let workload = Workload(count: large)
            try HomeFilling(home: home, workload: workload).fill()
            try LargeStore(workload: workload, home: home).measure(&table, pss: pss)
        }
        table.show()
        try Daemons.running().stop()
    }

    /// Measures the recovery of an existing store of `count` items; leaves the store damaged.
    private static func damage(_ count: Int) throws {
        try Processors.keepToOne()
        var table = Table()
        let workload = Workload(count: count)
        try workload.copySecret(count - 1)()
        try LargeStore(workload: workload, home: "").measureDamage(&table)
        table.show()
        try Daemons.running().stop()
    }

    /// Measures how fast an existing store of `count` items is sealed under new keys.
    private static func newKeys(_ count: Int) throws {
        var table = Table()
        try Measurements.newKeys(Workload(count: count), &table)
        table.show()
        try Daemons.running().stop()
    }

    /// Measures only the passcode, in a store of `count` items.
    private static func passcode(_ count: Int) throws {
        try Processors.keepToOne()
        var table = Table()
        let workload = Workload(count: count)
        try workload.fill(from: 0)
        try PasscodeStore(workload: workload, home: try Deployment.current().dataFolder).measure(&table)
        table.show()
        try Daemons.running().stop()
    }

    /// Measures only look-ups by signed programs.
    private static func signed() throws {
        try Processors.keepToOne()
        var table = Table()
        try SignedPrograms(home: try Deployment.current().dataFolder)?.measure(&table)
        table.show()
        try Daemons.running().stop()
    }

    /// Measures only keys in memory.
    private static func keys() throws {
        try Processors.keepToOne()
        var table = Table()
        try KeysInMemory().measure(&table)
        try WrongBlocks().measure(&table)
        table.show()
    }

    /// Measures only keys, certificates and identities of the keychain.
    private static func keychainKeys() throws {
        try Processors.keepToOne()
        var table = Table()
        let workload = Workload(count: small)
        try workload.fill(from: 0)
        try KeysInKeychain(workload: workload).measure(&table)
        table.show()
        try Daemons.running().stop()
    }

    /// Measures only evaluations of trust.
    private static func trust() throws {
        try Processors.keepToOne()
        var table = Table()
        try EvaluatedChains(home: try Deployment.current().dataFolder).measure(&table)
        table.show()
        try Daemons.running().stop()
    }

    /// Measures only calls of many client processes at once.
    private static func processes() throws {
        try measure { workload, floor, table in
            let store = try Deployment.current().storeFolder
            try Throughput(workload: workload, floor: floor, store: store).measure(&table)
        }
    }

    /// Measures only changes, and the look-ups beside them.
    private static func changes() throws {
        try measure { workload, floor, table in
            for call in TimedCall.lookUps + TimedCall.changes { try call.measure(workload, floor, &table) }
        }
    }

    /// Measures only file keychains; the largest has `large` items.
    private static func keychains(_ large: Int) throws {
        try measure { workload, floor, table in
            try FileKeychainStore(workload: workload, floor: floor, large: large).measure(&table)
        }
    }

    /// Measures one part beside its floor, with a small store.
    private static func measure(_ part: (Workload, FloorClient, inout Table) throws -> Void) throws {
        try Processors.keepToOne()
        var table = Table()
        let workload = Workload(count: small)
        try workload.fill(from: 0)
        let deployment = try Deployment.current()
        let floor = try FloorClient(
            database: deployment.storeFolder + "/items.db", scratch: deployment.dataFolder + "/floor.db")
        try part(workload, floor, &table)
        table.show()
        try Daemons.running().stop()
    }

    private static func measureSmall(_ home: String, _ table: inout Table) throws -> Double? {
        let workload = Workload(count: small)
        note("storing \(small) items")
        try workload.fill(from: 0)
        let store = try Deployment.current().storeFolder
        let floor = try FloorClient(database: store + "/items.db", scratch: home + "/floor.db")
        let pss = try SmallStore(workload: workload, floor: floor, store: store).measure(&table)
        try SignedPrograms(home: home)?.measure(&table)
        try KeysInMemory().measure(&table)
        try WrongBlocks().measure(&table)
        try KeysInKeychain(workload: workload).measure(&table)
        try EvaluatedChains(home: home).measure(&table)
        try FileKeychainStore(workload: workload, floor: floor, large: 100_000).measure(&table)
        try PasscodeStore(workload: workload, home: home).measure(&table)
        return pss
    }

    /// Repeats one of the calls below for four seconds, for a profiler: `chatelaine-bench loop WHAT`.
    private static func loop(_ what: String) throws {
        let workload = Workload(count: small)
        try workload.fill(from: 0)
        let floor = try FloorClient(
            database: try Deployment.current().storeFolder + "/items.db",
            scratch: try Deployment.current().dataFolder + "/floor")
        let keychain = what.hasPrefix("keychain") ? try KeychainWorkload("bench") : nil
        try keychain?.fill(0..<1)
        let calls = [
            "keychain": { step in keychain?.copySecret(0) ?? workload.copySecret(step) }, "secret": workload.copySecret,
            "keychain-add": { step in keychain?.add("looped \(step)") ?? workload.addThroughSecItem(step) },
            "c": workload.copySecretInC, "attributes": workload.copyAttributes,
            "client": workload.findAttributes,
            "foreign": workload.findForeign, "trip": { _ in { try floor.step(.roundTrip) } },
            "floor": { _ in { try floor.step(.attributes) } }, "add": workload.addThroughSecItem,
            "floor-secret": { _ in { try floor.step(.secret) } }, "floor-add": { _ in { try floor.step(.add) } },
            "list-data": { _ in { try workload.list(attributes: false) } },
            "list-attributes": { _ in { try workload.list(attributes: true) } },
            "floor-list-data": { _ in { try floor.list(.listData) } },
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

    static func note(_ text: String) { FileHandle.standardError.write(Data("bench: \(text)\n".utf8)) }
}
