import CChatelaine
import Glibc

/// The floor's daemon: receives with the sender's pidfd, looks at sender and executable, does the step, answers.
struct FloorServer {
    /// - Parameters:
    ///   - database: an `items.db` with rows, which is read.
    ///   - scratch: a database to be made, with the same tables and indices, which is written.
    static func run(database: String, scratch: String) throws {
        let enclave = try Floor.spawn(["floor-enclave"])
        let crypto = try FloorCrypto()
        let reads = try FloorDatabase(path: database)
        let writes = try FloorDatabase(copyOf: reads, at: scratch)
        _ = chatelaine_pass_credentials(3)
        _ = chatelaine_pass_pidfd(3)
        let process = open("/proc/\(getppid())", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        try withUnsafeTemporaryAllocation(byteCount: Floor.messageBytes * 2, alignment: 16) { buffer in
            let key = UnsafeMutableRawBufferPointer(rebasing: buffer[Floor.messageBytes...].prefix(Floor.keyBytes))
            while true {
                guard try receive(buffer, process) else { return }
                switch Floor.Step(rawValue: buffer[0]) {
                case .attributes:
                    try reads.lookUp()
                    try crypto.openAttributes()
                case .secret:
                    try reads.lookUp()
                    try crypto.openAttributes()
                    key[0] = Floor.Step.secret.rawValue
                    try Floor.exchange(enclave.socket, key, count: Floor.keyBytes)
                    try crypto.openSecret()
                case .add:
                    key[0] = Floor.Step.add.rawValue
                    try Floor.exchange(enclave.socket, key, count: Floor.keyBytes)
                    try crypto.sealAttributes()
                    try crypto.sealSecret()
                    try writes.insert()
                default: break
                }
                let sent = send(3, buffer.baseAddress, Floor.messageBytes, 0)
                try BenchError.check(sent == Floor.messageBytes, "the client is gone")
            }
        }
    }

    private static func receive(_ buffer: UnsafeMutableRawBufferPointer, _ process: Int32) throws -> Bool {
        var received = 0
        while received < Floor.messageBytes {
            var ancillary = chatelaine_ancillary()
            let count = chatelaine_receive(
                3, buffer.baseAddress.unsafelyUnwrapped + received, Floor.messageBytes - received, 1, &ancillary)
            guard count > 0 else { return false }
            received += count
            var status = stat()
            fstat(ancillary.pidfd, &status)
            fstatat(process, "exe", &status, 0)
            close(ancillary.pidfd)
        }
        return true
    }
}
