import ChatelaineIPC
import ChatelaineModel

/// Asks the person who sits at the machine.
protocol PersonAsking: Sendable {
    /// Begins to ask, and returns at once; the answer goes to ``PersonInquiry/answer(_:)``, from any thread.
    ///
    /// - Returns: false where nobody can be asked now.
    func ask(_ inquiry: PersonInquiry) -> Bool

    /// Withdraws all open questions, since the device is being locked.
    func close()

    /// Hears that a file keychain was made, or was opened by a password from elsewhere than a dialog.
    func noteOpening(of keychain: KeychainPath)

    /// Adds the programs about which no person is asked for a while.
    func add(to report: inout DaemonReport)
}
