import Crypto
import Glibc

/// The floor's key custodian: opens or seals one key for each message, or opens those of a whole listing.
struct FloorEnclave {
    static func run() throws {
        let crypto = try FloorCrypto()
        let batch = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Workload.listedCount * Floor.batchedKeyBytes, alignment: 16)
        defer { batch.deallocate() }
        try withUnsafeTemporaryAllocation(byteCount: Floor.keyBytes, alignment: 16) { buffer in
            while true {
                do { try Floor.receive(3, buffer) } catch { return }
                switch Floor.Step(rawValue: buffer[0]) {
                case .add, .update: try crypto.sealKey()
                case .listData:
                    let count = Int(buffer.load(fromByteOffset: Floor.numberOffset, as: Int32.self))
                    let keys = UnsafeMutableRawBufferPointer(rebasing: batch[..<(count * Floor.batchedKeyBytes)])
                    try Floor.receive(3, keys)
                    for _ in 0..<count { try crypto.openKey() }
                    try Floor.transmit(3, keys)
                    continue
                default: try crypto.openKey()
                }
                try Floor.transmit(3, buffer)
            }
        }
    }
}
