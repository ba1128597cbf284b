import CChatelaine
import ChatelaineIPC
import Dispatch
import Foundation
import Glibc

/// The measurements of a run, in the order of its table.
struct Measurements {
    /// The calls in one sample set. Floor and calls take turns in blocks, so that both see the same machine.
    static let calls = 8_000
    static let block = 200
    /// The listings in one sample set.
    static let listings = 60

    /// Measures the medians of a call and of its floor, in microseconds.
    static func pair(
        calls: Int = calls, _ floor: @escaping () throws -> Void, _ prepare: (Int) -> () throws -> Void
    ) throws -> (call: Double, floor: Double) {
        try compare(calls: calls, { _ in floor }, prepare)
    }

    /// Measures the medians of two calls; the times exclude the preparation of both.
    static func compare(
        calls: Int = calls, block: Int = block, _ prepareFloor: (Int) -> () throws -> Void,
        _ prepare: (Int) -> () throws -> Void
    ) throws -> (call: Double, floor: Double) {
        var floors = Samples()
        var samples = Samples()
        for step in 0..<block {
            try prepareFloor(step)()
            try prepare(step)()
        }
        for start in stride(from: block, to: calls + block, by: block) {
            for step in start..<(start + block) {
                let call = prepareFloor(step)
                try floors.measure { try call() }
            }
            for step in start..<(start + block) {
                let call = prepare(step)
                try samples.measure { try call() }
            }
        }
        return (samples.median, floors.median)
    }

    /// Measures the microseconds for each hit of a listing, by the keychain and by the floor.
    static func listing(
        _ floor: @escaping () throws -> Void, _ call: @escaping () throws -> Void
    ) throws -> (call: Double, floor: Double) {
        let medians = try compare(calls: listings, block: 1, { _ in floor }, { _ in call })
        return (medians.call / Double(Workload.listedCount), medians.floor / Double(Workload.listedCount))
    }

    /// Measures the processor time of 10 000 calls and as many steps of the floor, in seconds.
    ///
    /// Calls and steps take turns; the times include the processes that serve them.
    static func processorTime(
        _ floor: FloorClient, _ step: Floor.Step, _ prepare: (Int) -> () throws -> Void
    ) throws -> (call: Double, floor: Double) {
        let daemons = try Daemons.running()
        var (callTime, floorTime) = (0.0, 0.0)
        for start in stride(from: 0, to: 10_000, by: block) {
            let calls = (start..<(start + block)).map(prepare)
            callTime += try processorTime(of: [getpid(), daemons.securityd, daemons.enclaved]) {
                for call in calls { try call() }
            }
            floorTime += try processorTime(of: [getpid()] + floor.processes) {
                for _ in 0..<block { try floor.step(step) }
            }
        }
        return (callTime, floorTime)
    }

    private static func processorTime(of processes: [Int32], _ body: () throws -> Void) throws -> Double {
        let before = try ProcessorTime.seconds(of: processes)
        try body()
        return try ProcessorTime.seconds(of: processes) - before
    }

    /// Measures the milliseconds from no daemon to the first answer.
    static func start(_ workload: Workload) throws -> Double {
        var samples = Samples()
        for step in 0..<5 {
            try Daemons.running().stop()
            let call = workload.copySecret(step)
            try samples.measure { try call() }
        }
        return samples.median / 1000
    }

    /// Measures the milliseconds of `security item find`, from start to end.
    static func tool(_ path: String) throws -> Double {
        let item = ["--service", "chatelaine-bench", "--account", "tool"]
        let store = Process()
        store.executableURL = URL(fileURLWithPath: path)
        store.arguments = ["item", "add"] + item + ["--stdin"]
        let input = Pipe()
        store.standardInput = input
        store.standardOutput = FileHandle.nullDevice
        try store.run()
        try input.fileHandleForWriting.write(contentsOf: Data("correct horse".utf8))
        try input.fileHandleForWriting.close()
        store.waitUntilExit()
        try BenchError.check(store.terminationStatus == 0, "\(path) cannot add an item")
        let variables = ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }
        var words = ([path, "item", "find"] + item + ["--secret"]).map { (word: String) in strdup(word) } + [nil]
        var settings = variables.map { (variable: String) in strdup(variable) } + [nil]
        defer { for string in words + settings { free(string) } }
        return try process {
            // SAFETY: both arrays hold C strings that live until the end of this function, and end in nil.
            chatelaine_spawn_detached(path, &words, &settings)
        }
    }

    /// Measures the milliseconds of a process that makes one look-up, from its start to its end.
    static func firstCall(_ workload: Workload) throws -> Double {
        let environment = ProcessInfo.processInfo.environment
        return try process {
            let client = try OwnProgram.start(["client", "one-look-up", "\(workload.count)"], environment: environment)
            close(client.socket)
            return client.pid
        }
    }

    /// Measures the milliseconds of whole processes, from the start of each to its end.
    static func process(_ start: () throws -> Int32) throws -> Double {
        var samples = Samples()
        for _ in 0..<100 { try samples.measure { try OwnProgram.await(try start(), "a process that is timed") } }
        return samples.median / 1000
    }
}
