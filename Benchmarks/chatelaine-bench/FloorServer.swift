import CChatelaine
import Glibc

/// The floor's daemon: receives a message with the sender's pidfd, checks sender and executable, does the step,
/// answers.
struct FloorServer {
    private let enclave: (pid: Int32, socket: Int32)
    private let crypto: FloorCrypto
    private let reads: FloorDatabase
    private let writes: FloorDatabase
    private let process: Int32
    private let message = UnsafeMutableRawBufferPointer.allocate(byteCount: Floor.messageBytes, alignment: 16)
    private let key = UnsafeMutableRawBufferPointer.allocate(byteCount: Floor.keyBytes, alignment: 16)
    private let keys = UnsafeMutableRawBufferPointer.allocate(
        byteCount: Workload.listedCount * Floor.batchedKeyBytes, alignment: 16)
    private let hits = UnsafeMutableRawBufferPointer.allocate(
        byteCount: Workload.listedCount * Floor.Step.listAttributes.hitBytes, alignment: 16)

    /// - Parameters:
    ///   - database: an `items.db` with rows, for reading.
    ///   - scratch: the path of a new database with the same tables and indices, for writing.
    static func run(database: String, scratch: String) throws {
        let server = try FloorServer(database: database, scratch: scratch)
        while try server.receive() { try server.answer() }
    }

    private init(database: String, scratch: String) throws {
        enclave = try OwnProgram.start(["floor-enclave"])
        crypto = try FloorCrypto()
        reads = try FloorDatabase(path: database)
        writes = try FloorDatabase(copyOf: reads, at: scratch)
        _ = chatelaine_pass_credentials(3)
        _ = chatelaine_pass_pidfd(3)
        process = open("/proc/\(getppid())", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }

    private func answer() throws {
        let step = Floor.Step(rawValue: message[0]) ?? .roundTrip
        switch step {
        case .roundTrip: message.storeBytes(of: enclave.pid, toByteOffset: Floor.numberOffset, as: Int32.self)
        case .attributes: try openRow(by: .pair)
        case .secret, .label:
            try openRow(by: step == .label ? .label : .pair)
            try askEnclave(step)
            try crypto.openSecret()
        case .add: try change(step) { try writes.insert() }
        case .update:
            try openRow(by: .pair)
            try change(step) { try writes.update() }
        case .delete:
            try reads.lookUp(by: .pair)
            try writes.delete()
        case .listData, .listAttributes: return try list(step)
        }
        try Floor.transmit(3, message)
    }

    private func openRow(by column: FloorDatabase.Column) throws {
        try reads.lookUp(by: column)
        try crypto.openAttributes()
    }

    private func askEnclave(_ step: Floor.Step) throws {
        key[0] = step.rawValue
        try Floor.exchange(enclave.socket, key, count: Floor.keyBytes)
    }

    private func change(_ step: Floor.Step, _ commit: () throws -> Void) throws {
        try askEnclave(step)
        try crypto.sealAttributes()
        try crypto.sealSecret()
        try commit()
    }

    private func list(_ step: Floor.Step) throws {
        let count = message.load(fromByteOffset: Floor.numberOffset, as: Int32.self)
        try reads.list(Int(count)) { try crypto.openAttributes() }
        if step == .listData {
            key[0] = step.rawValue
            key.storeBytes(of: count, toByteOffset: Floor.numberOffset, as: Int32.self)
            try Floor.transmit(enclave.socket, key)
            try Floor.exchange(enclave.socket, keys, count: Int(count) * Floor.batchedKeyBytes)
            for _ in 0..<count { try crypto.openSecret() }
        }
        try Floor.transmit(3, UnsafeMutableRawBufferPointer(rebasing: hits[..<(Int(count) * step.hitBytes)]))
    }

    private func receive() throws -> Bool {
        var received = 0
        while received < Floor.messageBytes {
            var ancillary = chatelaine_ancillary()
            // SAFETY: the message has room for what is missing of it.
            let count = chatelaine_receive(
                3, message.baseAddress.unsafelyUnwrapped + received, Floor.messageBytes - received, 1, &ancillary)
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
