import ChatelaineModel

/// The places for work on certificates, which programs share.
///
/// Any program may ask about any certificate, and one that a stranger has made can keep trustd busy until it is ended.
/// One place is kept for programs that hold none, so whoever asks about many such certificates waits for itself.
package final class CertificatePlaces: Sendable {
    private let places: Budget
    /// How long a question waits for a place, in milliseconds.
    private let patience: Int

    init(_ count: Int = TrustWorkers.mostReaders, patience: Int = TrustWorkers.patience) {
        places = Budget(bytes: count, largest: 1)
        self.patience = patience
    }

    /// Runs `body` in a place of the connection's program.
    ///
    /// - Parameter slot: nil for what securityd reads for itself, for which there is no line.
    /// - Throws: `errSecNotAvailable` where no place is free in time.
    func withPlace<Answer>(
        for slot: ConnectionSlot?, _ body: () throws(KeychainError) -> Answer
    ) throws(KeychainError) -> Answer {
        guard let slot else { return try body() }
        let place = try places.take(1, for: slot, milliseconds: patience)
        defer { places.give(back: place) }
        return try body()
    }
}
