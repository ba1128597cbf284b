import CChatelaine
import ChatelaineIPC
import Dispatch
import Foundation
import Glibc

/// What a run measures, in the order of its table.
struct Measurements {
    /// Calls in one sample set; floor and calls take turns in blocks, so that both see the same machine.
    static let calls = 8_000
    static let block = 200

    /// Medians of a call and of its floor, in microseconds.
    static func pair(
        calls: Int = calls, _ floor: @escaping () throws -> Void, _ prepare: (Int) -> () throws -> Void
    ) throws -> (call: Double, floor: Double) {
        try compare(calls: calls, { _ in floor }, prepare)
    }

    /// Medians of two calls, both prepared outside the time that is taken.
    static func compare(
        calls: Int = calls, _ prepareFloor: (Int) -> () throws -> Void, _ prepare: (Int) -> () throws -> Void
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

    /// Calls a second of `threads` clients of their own connections.
    static func throughput(_ workload: Workload, threads: Int) throws -> Double {
        let calls = 4_000
        let failures = LockedCount()
        let start = Samples.now
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            for step in 0..<(calls / threads) {
                do { try workload.copySecret(thread * calls + step)() } catch { failures.increment() }
            }
        }
        try BenchError.check(failures.value == 0, "\(failures.value) look-ups failed")
        return Double(calls) / (Double(Samples.now - start) / 1e9)
    }

    /// Microseconds for each hit of a listing.
    static func listing(_ workload: Workload, attributes: Bool) throws -> Double {
        var samples = Samples()
        for _ in 0..<30 { try samples.measure { try workload.list(attributes: attributes) } }
        return samples.median / Double(Workload.listedCount)
    }

    /// Milliseconds from no daemon to the first answer.
    static func start(_ workload: Workload) throws -> Double {
        var samples = Samples()
        for step in 0..<5 {
            try Daemons.running().stop()
            let call = workload.copySecret(step)
            try samples.measure { try call() }
        }
        return samples.median / 1000
    }

    /// Look-ups during a recovery, each of another item.
    private static let lookUpsDuringRecovery = 90

    /// Milliseconds from no daemon to the first intact item of a damaged store; and microseconds of each of the next look-ups,
    /// which come while items are still being taken over, and of the same look-ups again.
    static func damaged(_ workload: Workload, database: String) throws -> (first: Double, next: Double, again: Double) {
        try Daemons.running().stop()
        // What is still in the log would make up for the page.
        try FloorDatabase.emptyLog(of: database)
        try overwriteFirstPage(of: database)
        var first = Samples()
        var next = Samples()
        let call = workload.copySecret(workload.count / 2)
        try first.measure { try call() }
        var again = Samples()
        // From the end, at which the recovery comes last.
        let calls = (1...lookUpsDuringRecovery).map { workload.copySecretOf(workload.count - $0 * 101) }
        for call in calls { try next.measure { try call() } }
        for call in calls { try again.measure { try call() } }
        try BenchError.check(
            try KeychainClient.shared.status()["store.recovery"] != nil || workload.count < 100_000,
            "nothing is being recovered while it is measured")
        return (first.median / 1000, next.median, again.median)
    }

    /// Without its first page a database does not even say what it is.
    private static func overwriteFirstPage(of database: String) throws {
        let noise = [UInt8](repeating: 0xA5, count: 4096)
        let file = open(database, O_WRONLY | O_CLOEXEC)
        defer { close(file) }
        let written = noise.withUnsafeBytes { bytes in
            // SAFETY: the bytes live during the call, which reads as many of them as there are.
            pwrite(file, bytes.baseAddress, bytes.count, 0)
        }
        try BenchError.check(written == noise.count, "\(database) cannot be damaged")
    }

    /// Milliseconds of `security item find`, start to end.
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
        return try process(path, ["item", "find"] + item + ["--secret"])
    }

    /// Milliseconds of a whole process, from its start to its end; its output goes nowhere.
    private static func process(_ path: String, _ arguments: [String]) throws -> Double {
        let variables = ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }
        var words = ([path] + arguments).map { (word: String) in strdup(word) } + [nil]
        var settings = variables.map { (variable: String) in strdup(variable) } + [nil]
        defer { for string in words + settings { free(string) } }
        var samples = Samples()
        for _ in 0..<100 {
            try samples.measure {
                // SAFETY: both arrays hold C strings that live until the end of this function, and end in nil.
                let pid = chatelaine_spawn_detached(path, &words, &settings)
                var status: Int32 = 0
                while waitpid(pid, &status, 0) < 0, errno == EINTR {}
                try BenchError.check(pid > 0 && status == 0, "\(path) failed")
            }
        }
        return samples.median / 1000
    }
}
