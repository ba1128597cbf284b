import ChatelaineMemory
import ChatelaineSystem
import Crypto
import Glibc

/// A small file that only the holder of a key can have written.
///
/// It is replaced as a whole and durably. Layout and rules: `Documentation/formats/identity-files.md`. The file does
/// not hide its content, and an older genuine file that is put back is not noticed. One process writes it, because the
/// daemon holds a lock on the folder. The owner of this value must let only one thread at a time write.
struct AuthenticatedFile: Sendable {
    static let headerBytes = 16
    static let codeBytes = 32

    /// The folder, which must exist, and the name in it.
    let folder: String
    let name: String
    /// Eight ASCII bytes that name the kind of content.
    ///
    /// They are authenticated, so that no kind can stand in for another.
    let kind: StaticString
    let version: UInt32
    /// The most bytes of content.
    let limit: Int
    let key: SecretBytes
    /// Keys of the earlier versions that can still be read; a file of any other earlier version counts as damaged.
    var formerKeys: [UInt32: SecretBytes] = [:]
    let files: FileCalls

    struct Content {
        let version: UInt32
        let bytes: [UInt8]
    }

    /// The content, or nil when there is no such file.
    func read() throws(AuthenticatedFileError) -> Content? {
        let longest = Self.headerBytes + limit + Self.codeBytes
        let bytes: [UInt8]
        do throws(Errno) {
            let directory = try files.open(folder, in: AT_FDCWD, .readThrough)
            let file: Descriptor
            do throws(Errno) { file = try files.open(name, in: directory.number, .read) } catch .notFound {
                return nil
            }
            let status = try files.status(of: file.number)
            guard status.isRegular, status.owner == geteuid() else { throw .notPermitted }
            guard status.size <= Int64(longest) else { throw .tooBig }
            // One byte more than expected, to notice a file that grows meanwhile.
            bytes = try files.contents(of: file.number, limit: Int(status.size) + 1)
        } catch .notPermitted { throw .notOurs } catch .tooBig { throw .damaged } catch {
            throw .io(error, "reading", "\(folder)/\(name)")
        }
        return try opened(bytes)
    }

    /// Replaces the content. When the method returns, the new content is on disk.
    func write(_ content: [UInt8]) throws(AuthenticatedFileError) {
        guard content.count <= limit else { throw .tooLarge }
        var bytes = header(version, length: content.count) + content
        bytes += Self.code(of: bytes, key)
        let path = "\(folder)/\(name)"
        do throws(Errno) {
            let directory = try files.open(folder, in: AT_FDCWD, .readThrough)
            do throws(FileFailure) {
                try files.replace(name, in: directory.number, path: folder, draft: name + ".new", with: bytes)
            } catch { throw error.error }
        } catch { throw .io(error, "writing", path) }
    }

    private func opened(_ bytes: [UInt8]) throws(AuthenticatedFileError) -> Content {
        guard bytes.count >= Self.headerBytes + Self.codeBytes else { throw .damaged }
        let body = [UInt8](bytes.dropLast(Self.codeBytes))
        let content = [UInt8](body.dropFirst(Self.headerBytes))
        let found = Self.number(body[8..<12])
        // The version is checked before the code, because a later version may compute its code in another way.
        guard body[..<8].elementsEqual(kindBytes) else { throw .damaged }
        guard found <= version else { throw .newer(found) }
        guard let key = found == version ? key : formerKeys[found] else { throw .damaged }
        guard body.prefix(Self.headerBytes).elementsEqual(header(found, length: content.count)) else { throw .damaged }
        guard SecretBytes(Self.code(of: body, key)) == SecretBytes(bytes.suffix(Self.codeBytes)) else { throw .damaged }
        return Content(version: found, bytes: content)
    }

    private var kindBytes: [UInt8] { kind.withUTF8Buffer { [UInt8]($0) } }

    private func header(_ version: UInt32, length: Int) -> [UInt8] {
        kindBytes + Self.littleEndian(version) + Self.littleEndian(UInt32(truncatingIfNeeded: length))
    }

    private static func code(of bytes: [UInt8], _ key: SecretBytes) -> [UInt8] {
        // swift-crypto keeps the key in memory that it wipes itself; the secret is lent only for the copy.
        let symmetric = key.withUnsafeBytes { SymmetricKey(data: $0) }
        return [UInt8](HMAC<SHA256>.authenticationCode(for: bytes, using: symmetric))
    }

    private static func littleEndian(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
