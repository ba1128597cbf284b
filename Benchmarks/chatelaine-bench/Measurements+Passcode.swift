import ChatelaineIPC
import Enclave
import Foundation

extension Measurements {
    private static let unlocks = 20
    /// The number of look-ups before, while and after callers wait; their slowest hundredth is compared.
    private static let watchedLookUps = 20_000

    /// Measures a lock, and an unlock beside the bare hash of the passcode at the cost that was calibrated on this
    /// machine.
    static func unlocking(_ table: inout Table, suffix: String = "") throws {
        let report = try KeychainClient.shared.device(.state)
        let price = PasswordHash.Parameters(memory: report.memory, passes: report.passes)
        let salt = [UInt8](repeating: 1, count: 16)
        var (hashes, unlocks, locks) = (Samples(), Samples(), Samples())
        for _ in 0..<Self.unlocks {
            try locks.measure { try BenchPasscode.lock() }
            try hashes.measure { _ = try PasswordHash.argon2id.derive(BenchPasscode.passcode, salt, price) }
            try unlocks.measure { try BenchPasscode.unlock() }
        }
        table.add(
            "unlock" + suffix, "\(table.text(unlocks.median / 1000)) ms",
            floor: "Argon2id: \(table.text(hashes.median / 1000)) ms",
            ratio: table.text(unlocks.median / hashes.median), target: "≤ 1.30 ×")
        table.add("lock" + suffix, "\(table.text(locks.median / 1000)) ms", target: "≤ 20 ms")
    }

    /// Measures look-ups of protected items with a context that satisfies them, beside look-ups of items without
    /// protection.
    static func reusedContext(_ workload: Workload, _ table: inout Table) throws {
        let medians = try compare(workload.copySecret, try Workload.withContext())
        table.add(
            "look-up with a context that is used again", "\(table.text(medians.call)) µs",
            floor: "plain: \(table.text(medians.floor)) µs", ratio: table.text(medians.call / medians.floor),
            target: "≤ 1.30 ×")
    }

    /// Measures the slowest hundredth of look-ups while callers wait for a person, and while no caller waits.
    static func lookUpsBesideWaiting(_ workload: Workload, home: String, _ table: inout Table) throws {
        guard let callers = try WaitingCallers(home: home) else {
            return Bench.note("there is no /usr/bin/pinentry: nobody can wait for a person")
        }
        var (alone, beside) = (Samples(), Samples())
        try watch(workload, &alone, watchedLookUps / 2)
        try callers.start()
        try watch(workload, &beside, watchedLookUps)
        try callers.end()
        try watch(workload, &alone, watchedLookUps / 2)
        let (before, now) = (alone.percentile(0.99), beside.percentile(0.99))
        table.add(
            "look-up, p99, \(WaitingCallers.count) callers wait for a person", "\(table.text(now)) µs",
            floor: "nobody waits: \(table.text(before)) µs", ratio: table.text(now / before), target: "≤ 2.00 ×")
    }

    private static func watch(_ workload: Workload, _ samples: inout Samples, _ count: Int) throws {
        for step in 0..<count {
            let call = workload.copySecret(step)
            try samples.measure { try call() }
        }
    }
}
