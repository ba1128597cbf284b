import CChatelaine
import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import Glibc

/// A passcode on its way to the daemon: a sealed anonymous file in memory.
///
/// A pipe would not do: its other end could keep the reader waiting for any time, and the kernel ends that wait for no
/// signal. The daemon can recognise a sealed file, and read and close it without waiting.
final class PasscodeFile {
    private let file: Descriptor

    var descriptor: Int32 { file.number }

    /// - Throws: `errSecParam` for a passcode whose length no keychain accepts; it is not written to a file.
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
