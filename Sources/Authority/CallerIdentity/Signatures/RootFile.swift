import ChatelaineModel
import ChatelaineSystem
import Glibc

/// The content of a file that only root can have written, on a local disk, reached without a symbolic link.
package enum RootFile: Equatable, Sendable {
    case missing
    case content([UInt8])
    /// The file exists and does not count; the sentence says why.
    case unusable(String)
    /// The file may be root's, and this process cannot read it; the sentence says why.
    case unreadable(String)

    /// - Parameter limit: the most bytes that the file may have.
    init(at path: String, limit: Int, system: IdentitySystemCalls) {
        guard let canonical = CanonicalPath(path) else {
            self = .unusable("\(PrintablePath.shown(path)) is no canonical path")
            return
        }
        do throws(Errno) {
            let file = try CanonicalFile(at: canonical, system: system)
            guard file.isRootOnly, file.fileSystem == .local else {
                self = .unusable("\(path) does not count, since others than root could have written it")
                return
            }
            guard file.status.isRegular else {
                self = .unusable("\(path) is not a regular file")
                return
            }
            self = .content(
                try system.contents(of: file.descriptor.number, file.status, limit: limit))
        } catch .notFound {
            self = .missing
        } catch .tooBig {
            self = .unusable("\(path) has more than \(limit) bytes")
        } catch .notFolder {
            self = .unusable("\(path) is a symbolic link, or lies behind one")
        } catch {
            self = .unreadable("\(path) cannot be read: \(error)")
        }
    }

    package init(at path: String, limit: Int) { self.init(at: path, limit: limit, system: .system) }

    /// Reads a switch, whose existence alone counts: a file of any size, a folder, or root's link to anything.
    ///
    /// The content is empty.
    package init(switchAt path: String) { self.init(switchAt: path, system: .system) }

    init(switchAt path: String, system: IdentitySystemCalls) {
        guard let canonical = CanonicalPath(path) else {
            self = .unusable("\(PrintablePath.shown(path)) is no canonical path")
            return
        }
        do throws(Errno) {
            guard try Self.isOfRoot(canonical, system: system) else {
                self = .unusable("\(path) does not count, since others than root could have written it")
                return
            }
            self = .content([])
        } catch .notFound {
            self = .missing
        } catch .notFolder {
            self = .unusable("\(path) lies behind a symbolic link")
        } catch {
            self = .unreadable("\(path) cannot be read: \(error)")
        }
    }

    private static func isOfRoot(_ path: CanonicalPath, system: IdentitySystemCalls) throws(Errno) -> Bool {
        do throws(Errno) {
            let file = try CanonicalFile(at: path, system: system)
            return file.isRootOnly && file.fileSystem == .local
        } catch .notFolder {
            // The path may be a link itself. The mode of a link lets everybody write it, but nobody can.
            let folder = try CanonicalFile(at: path.folder, system: system)
            let link = try system.files.open(String(path.name), in: folder.descriptor.number, .look)
            return try system.files.knownStatus(of: link.number).owner == 0 && folder.isRootOnly
                && folder.fileSystem == .local
        }
    }

    /// Why the file does not count or cannot be read; nil if it is missing or was read.
    var problem: String? {
        switch self {
        case .missing, .content: nil
        case .unusable(let reason), .unreadable(let reason): reason
        }
    }
}

extension IdentitySystemCalls {
    /// The whole content of a file of known status, of which `looked` is an `O_PATH` descriptor.
    ///
    /// - Throws: EFBIG if it has more than `limit` bytes, ESTALE if it changes meanwhile, or the error of a call.
    func contents(of looked: Int32, _ status: FileStatus, limit: Int) throws(Errno) -> [UInt8] {
        guard status.size <= Int64(limit) else { throw .tooBig }
        // Opened through the descriptor, because the name may lead to another file by now.
        let file = try files.open("/proc/self/fd/\(looked)", in: AT_FDCWD, .readThrough)
        let bytes = try files.contents(of: file.number, limit: limit + 1)
        guard bytes.count == Int(status.size), try files.status(of: file.number).content == status.content else {
            throw .stale
        }
        return bytes
    }
}
