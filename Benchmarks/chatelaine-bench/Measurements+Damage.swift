import ChatelaineIPC
import Glibc

extension Measurements {
    /// The number of look-ups during a recovery, each of another item.
    private static let lookUpsDuringRecovery = 500

    /// Prepares look-ups from the end of the store, which the recovery reaches last.
    private static func callsDuringRecovery(_ workload: Workload) -> [() throws -> Void] {
        let distance = max(1, workload.count / (4 * lookUpsDuringRecovery))
        return (1...min(lookUpsDuringRecovery, workload.count)).map {
            workload.copySecretOf(workload.count - $0 * distance)
        }
    }

    /// Times the look-ups of ``damaged(_:database:)`` in an intact store.
    static func lookUps(_ workload: Workload) throws -> Samples {
        let calls = callsDuringRecovery(workload)
        for call in calls { try call() }
        var samples = Samples()
        for call in calls { try samples.measure { try call() } }
        return samples
    }

    /// Times the first look-up in a damaged store, and the look-ups after it.
    ///
    /// The first time is from no daemon to the first intact item. The next look-ups run while the recovery still copies
    /// items; then the same look-ups are timed again.
    static func damaged(
        _ workload: Workload, database: String
    ) throws -> (first: Double, next: Samples, again: Samples) {
        try Daemons.running().stop()
        // A copy of the page in the log would replace the damaged page.
        try FloorDatabase.emptyLog(of: database)
        try overwriteFirstPage(of: database)
        var first = Samples()
        var next = Samples()
        let call = workload.copySecret(workload.count / 2)
        // In practice the daemon has all processors for a recovery, and uses them.
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

    /// Destroys the page that identifies the file as a database.
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
