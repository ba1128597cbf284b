import ChatelaineModel

/// The places for work on certificates, which programs share.
///
/// Any program may ask about any certificate, and one that a stranger has made can keep trustd busy until it is ended.
/// One place is kept for programs that hold none, so whoever asks about many such certificates waits for itself.
package final class CertificatePlaces: Sendable {
    private let places: ProgramPlaces<BudgetOwner>

    /// - Parameter patience: how long a question waits for a place, in milliseconds.
    init(_ count: Int = TrustWorkers.mostReaders, patience: Int = TrustWorkers.patience) {
        places = ProgramPlaces(count, for: "questions about certificates", keepsOne: true, patience: patience)
    }

    /// Runs `body` in a place of the connection's program.
    ///
    /// - Parameter slot: nil for what securityd reads for itself, for which there is no line.
    /// - Throws: `errSecNotAvailable` where no place is free in time.
    func withPlace<Answer>(
        for slot: ConnectionSlot?, _ body: () throws(KeychainError) -> Answer
    ) throws(KeychainError) -> Answer {
        guard let slot else { return try body() }
        return try places.hold(for: slot.owner, from: slot, body)
    }
}
