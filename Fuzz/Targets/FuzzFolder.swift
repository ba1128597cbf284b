import Glibc

/// A folder in memory for files that readers open by path; each input overwrites them.
final class FuzzFolder: Sendable {
    static let shared = FuzzFolder()

    let path: String

    private init() {
        if let given = getenv("CHATELAINE_FUZZ_FOLDER") {
            // The script's folder; the script removes it however this process ends.
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

    private func remove() { Self.removeTree(path) }

    // MARK: Trees

    /// Removes a folder with its contents.
    static func removeTree(_ path: String) {
        for name in names(in: path) {
            let inner = "\(path)/\(name)"
            if unlink(inner) != 0 { removeTree(inner) }
        }
        rmdir(path)
    }

    /// Reads the files below a folder; the names are paths relative to it.
    static func contents(of root: String, below: String = "") -> [(name: String, content: [UInt8])] {
        names(in: root + below).sorted().flatMap { name in
            var status = stat()
            let inner = "\(below)/\(name)"
            guard lstat(root + inner, &status) == 0 else { return [(name: String, content: [UInt8])]() }
            return status.st_mode & S_IFMT == S_IFDIR ? contents(of: root, below: inner) : [(inner, read(root + inner))]
        }
    }

    /// Writes a file, and makes the folders of its path.
    static func put(_ content: [UInt8], at path: String) {
        for index in path.indices.dropFirst() where path[index] == "/" { mkdir(String(path[..<index]), 0o700) }
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { preconditionFailure("\(path) cannot be written") }
        defer { close(file) }
        // SAFETY: writes the bytes of the array.
        let count = content.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
        precondition(count == content.count, "\(path) is full")
    }

    static func garble(_ path: String, at offset: Int, bytes: Int) {
        var content = read(path)
        for index in offset..<min(content.count, offset + bytes) { content[index] = UInt8(index % 251) }
        put(content, at: path)
    }

    /// Overwrites bytes of a file without making it longer; does nothing where the file does not exist.
    static func overwrite(_ path: String, at offset: Int, with bytes: [UInt8]) {
        guard access(path, F_OK) == 0 else { return }
        var content = read(path)
        for (index, byte) in bytes.enumerated() where offset + index < content.count { content[offset + index] = byte }
        put(content, at: path)
    }

    private static func read(_ path: String) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { preconditionFailure("\(path) cannot be read") }
        defer { close(file) }
        var status = stat()
        fstat(file, &status)
        var content = [UInt8](repeating: 0, count: Int(status.st_size))
        // SAFETY: reads into the array.
        let count = content.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress, $0.count) }
        precondition(count == content.count, "\(path) became shorter")
        return content
    }

    private static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            // SAFETY: the name is a C string inside the entry, which is valid until the next readdir.
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
