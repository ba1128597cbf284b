import Glibc

/// A folder in memory for the files that readers take by their path; written over by each input.
final class FuzzFolder: Sendable {
    static let shared = FuzzFolder()

    let path: String

    private init() {
        if let given = getenv("CHATELAINE_FUZZ_FOLDER") {
            // The script's, which removes it however this process ends.
            path = String(cString: given)
        } else {
            let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
            path = "\(parent)/chatelaine-fuzz-\(getpid())"
            mkdir(path, 0o700)
            atexit { FuzzFolder.shared.remove() }
        }
    }

    func write(_ name: String, _ bytes: UnsafeRawBufferPointer) {
        let file = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { preconditionFailure("\(path)/\(name) cannot be written") }
        defer { close(file) }
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
        // SAFETY: writes the bytes that were lent.
        let count = Glibc.write(file, start, bytes.count)
        precondition(count == bytes.count, "\(path) is full")
    }

    private func remove() {
        for name in ["items.db", "items.db-wal", "mark", "snapshot.db", "snapshot.db-wal", "snapshot.db-shm"] {
            unlink("\(path)/\(name)")
        }
        rmdir(path)
    }
}
