import Crypto
import Glibc

/// The floor's key custodian: opens or seals one key for each message.
struct FloorEnclave {
    static func run() throws {
        let crypto = try FloorCrypto()
        try withUnsafeTemporaryAllocation(byteCount: Floor.keyBytes, alignment: 16) { buffer in
            while true {
                do { try Floor.receive(3, buffer) } catch { return }
                if buffer[0] == Floor.Step.add.rawValue { try crypto.sealKey() } else { try crypto.openKey() }
                try BenchError.check(send(3, buffer.baseAddress, buffer.count, 0) == buffer.count, "the peer is gone")
            }
        }
    }
}
