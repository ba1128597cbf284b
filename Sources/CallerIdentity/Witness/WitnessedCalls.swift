import Glibc

/// The real system, seen from a sandbox: what may not be looked at from here is looked at by a witness.
struct WitnessedCalls: SystemCalls {
    let witness: any Witness
    private let system = LinuxCalls()

    init(_ witness: any Witness) { self.witness = witness }

    func open(_ path: String, in folder: Int32, _ mode: OpenMode) throws(Errno) -> Descriptor {
        guard let sight = Sight(path, mode) else { return try system.open(path, in: folder, mode) }
        let answer = witness.look(at: sight, in: folder)
        guard answer.error == 0, answer.descriptors.count == 1 else {
            for number in answer.descriptors { close(number) }
            throw Errno(answer.error == 0 ? EIO : answer.error)
        }
        return Descriptor(adopting: answer.descriptors[0])
    }

    func glimpse(of folder: Int32) throws(Errno) -> Glimpse { try Glimpse(witness.look(at: .program, in: folder)) }

    func status(at path: String, in folder: Int32) throws(Errno) -> FileStatus {
        guard Sight(path, .lookThrough) != nil else { return try system.status(at: path, in: folder) }
        // Named, so that it stays open until the call is over.
        let file = try open(path, in: folder, .lookThrough)
        return try system.knownStatus(of: file.number)
    }

    func link(at path: String, in folder: Int32) throws(Errno) -> [UInt8] {
        guard Sight(path, .lookThrough) != nil else { return try system.link(at: path, in: folder) }
        let file = try open(path, in: folder, .lookThrough)
        // The kernel calls the file the same, whoever holds it open.
        return try system.link(at: "/proc/self/fd/\(file.number)", in: AT_FDCWD)
    }

    func status(of descriptor: Int32) throws(Errno) -> FileStatus { try system.status(of: descriptor) }

    func knownStatus(of descriptor: Int32) throws(Errno) -> FileStatus { try system.knownStatus(of: descriptor) }

    func isProvided(mount: UInt64) throws(Errno) -> Bool { try system.isProvided(mount: mount) }

    func fileSystem(of descriptor: Int32) throws(Errno) -> UInt64 { try system.fileSystem(of: descriptor) }

    func hasAccessList(_ descriptor: Int32) throws(Errno) -> Bool { try system.hasAccessList(descriptor) }

    func hasMemory(_ table: Int32) -> Bool { system.hasMemory(table) }

    func read(
        _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(Errno) -> Int { try system.read(descriptor, into: buffer, at: offset) }

    func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
        try system.write(descriptor, bytes)
    }

    func synchronize(_ descriptor: Int32) throws(Errno) { try system.synchronize(descriptor) }

    func rename(_ old: String, to new: String, in folder: Int32) throws(Errno) {
        try system.rename(old, to: new, in: folder)
    }

    func unlink(_ path: String, in folder: Int32) throws(Errno) { try system.unlink(path, in: folder) }

    func hasEnded(pidfd: Int32) throws(Errno) -> Bool { try system.hasEnded(pidfd: pidfd) }

    func pidfd(of pid: Int32) throws(Errno) -> Descriptor { try system.pidfd(of: pid) }

    var now: Int64 { system.now }

    var uptime: Int64 { system.uptime }
}

/// The system as it is seen with or without a witness.
func seen(by witness: (any Witness)?) -> any SystemCalls { witness.map { WitnessedCalls($0) } ?? LinuxCalls() }
