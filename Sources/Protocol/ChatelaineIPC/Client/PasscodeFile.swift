import CChatelaine
import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import Glibc

/// A passcode on its way to the daemon: an anonymous file in memory that nobody can change any more.
///
/// No pipe: whoever holds the other end of one can keep its reader for as long as it likes, and the kernel then ends that wait for
/// no signal. A file that is sealed can be told from everything else, read and closed without waiting for anybody.
final class PasscodeFile {
    private let file: Descriptor

    var descriptor: Int32 { file.number }

    /// - Throws: `errSecParam` for one that no keychain takes, so that it is written nowhere.
    init(_ passcode: SecretBytes, _ secret: GivenSecret = .passcode) throws(KeychainError) {
        guard secret.bytes.contains(passcode.count) else {
            throw KeychainError(
                .param, "a \(secret.noun) has \(secret.bytes.lowerBound) to \(secret.bytes.upperBound) bytes")
        }
        // SAFETY: the call reads the bytes that are lent.
        let number = passcode.withUnsafeBytes {
            chatelaine_sealed_memfd_holding("chatelaine", $0.baseAddress, $0.count)
        }
        guard number >= 0 else { throw KeychainError(system: errno, "a file in memory") }
        file = Descriptor(number)
    }
}
