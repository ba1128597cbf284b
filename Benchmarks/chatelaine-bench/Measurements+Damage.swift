import ChatelaineIPC
import Glibc

extension Measurements {
    /// Look-ups during a recovery, each of another item.
    private static let lookUpsDuringRecovery = 500

    /// From the end, at which the recovery comes last.
    private static func callsDuringRecovery(_ workload: Workload) -> [() throws -> Void] {
        let distance = max(1, workload.count / (4 * lookUpsDuringRecovery))
        return (1...min(lookUpsDuringRecovery, workload.count)).map {
            workload.copySecretOf(workload.count - $0 * distance)
        }
    }

    /// Each of the look-ups of ``damaged(_:database:)`` in a whole store.
    static func lookUps(_ workload: Workload) throws -> Samples {
        let calls = callsDuringRecovery(workload)
        for call in calls { try call() }
        var samples = Samples()
        for call in calls { try samples.measure { try call() } }
        return samples
    }

    /// Milliseconds from no daemon to the first intact item of a damaged store; and each of the next look-ups, which come while
    /// items are still being taken over, and of the same look-ups again.
    static func damaged(
        _ workload: Workload, database: String
    ) throws -> (first: Double, next: Samples, again: Samples) {
        try Daemons.running().stop()
        // What is still in the log would make up for the page.
        try FloorDatabase.emptyLog(of: database)
        try overwriteFirstPage(of: database)
        var first = Samples()
        var next = Samples()
        let call = workload.copySecret(workload.count / 2)
        // Whoever waits for it has all processors, and the daemon makes use of them.
        try Processors.useAll()
        try first.measure { try call() }
        try Processors.keepToOne(with: try Daemons.running())
        var again = Samples()
        let calls = callsDuringRecovery(workload)
        for call in calls { try next.measure { try call() } }
        for call in calls { try again.measure { try call() } }
        try BenchError.check(
            try KeychainClient.shared.status()["store.recovery"] != nil || workload.count < 100_000,
            "nothing is being recovered while it is measured")
        return (first.median / 1000, next, again)
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
}
