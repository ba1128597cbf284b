import Glibc
import TestSupport

/// A folder with its contents: relative names, and the contents of files.
struct Tree {
    var folders: Set<String> = []
    var files: [String: [UInt8]] = [:]
    /// Further names of files, each with the file's name in the contents above.
    var links: [String: String] = [:]

    struct Unreadable: Error { let path: String }

    init() {}

    /// Reads the folder at a path, without sockets and other special files.
    init(reading path: String) throws {
        var first: [UInt64: String] = [:]
        try read(path, "", &first)
    }

    private mutating func read(_ path: String, _ prefix: String, _ first: inout [UInt64: String]) throws {
        for name in TemporaryFolder.names(in: path) {
            var status = stat()
            guard lstat("\(path)/\(name)", &status) == 0 else { throw Unreadable(path: "\(path)/\(name)") }
            switch status.st_mode & S_IFMT {
            case S_IFDIR:
                folders.insert(prefix + name)
                try read("\(path)/\(name)", prefix + name + "/", &first)
            case S_IFREG where status.st_nlink > 1 && first[UInt64(status.st_ino)] != nil:
                links[prefix + name] = first[UInt64(status.st_ino)]
            case S_IFREG:
                first[UInt64(status.st_ino)] = prefix + name
                files[prefix + name] = try Self.content(of: "\(path)/\(name)", count: Int(status.st_size))
            default: break
            }
        }
    }

    /// Replaces whatever is at a path with this folder.
    func write(to path: String) throws {
        TemporaryFolder.remove(path)
        for folder in [""] + folders.sorted().map({ "/" + $0 }) {
            guard mkdir(path + folder, 0o700) == 0 else { throw Unreadable(path: path + folder) }
        }
        for (name, content) in files {
            let file = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_EXCL, 0o600)
            defer { close(file) }
            guard file >= 0, content.withUnsafeBytes({ Glibc.write(file, $0.baseAddress, $0.count) }) == content.count
            else { throw Unreadable(path: "\(path)/\(name)") }
        }
        for (name, first) in links {
            guard link("\(path)/\(first)", "\(path)/\(name)") == 0 else { throw Unreadable(path: "\(path)/\(name)") }
        }
    }

    /// Hashes whole buffers, since trees are compared thousands of times, and an array would hash each byte by itself.
    func hash(into hasher: inout Hasher) {
        hasher.combine(folders)
        for (name, content) in files.sorted(by: { $0.key < $1.key }) {
            hasher.combine(name)
            hasher.combine(content.count)
            content.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
        hasher.combine(links)
    }

    static func content(of path: String, count: Int) throws -> [UInt8] {
        let file = open(path, O_RDONLY)
        defer { close(file) }
        var content = [UInt8](repeating: 0, count: count)
        guard file >= 0, content.withUnsafeMutableBytes({ Glibc.read(file, $0.baseAddress, $0.count) }) == count
        else { throw Unreadable(path: path) }
        return content
    }
}
