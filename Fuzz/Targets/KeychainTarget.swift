import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing

@testable import Enclave

/// Checks accepted headers of file keychains, and keychain preferences.
///
/// A header is written as it was read, demands no more work than the limits allow, and opens for no wrong password.
enum KeychainTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var intake = Intake(bytes)
        switch intake.byte() {
        case 1: check(whole(intake.rest()))
        case 2: check(made(&intake).encoded)
        case 3: checkPreferences(intake.rest())
        default: check([UInt8](intake.rest()))
        }
    }

    private static func check(_ content: [UInt8]) {
        let header: KeychainHeader
        do throws(KeychainError) { header = try KeychainHeader(decoding: content, path: "x") } catch {
            precondition(
                error.status == .invalidKeychain || (error.status == .wrongSecVersion && error.cause == .newerFormat),
                "a status that is not documented: \(error.status)")
            return
        }
        precondition(header.encoded == content, "a header with two encodings")
        precondition(header.terms.parameters.isAcceptable, "a header that asks for too much")
        precondition(header.indexKey.count == Sealing.keyByteCount, "no index key")
        let password = SecretBytes([UInt8]("password".utf8))
        do throws(KeychainError) {
            let keys = try KeychainPasswordKeys(password, header.terms, quick)
            precondition(!keys.fit(header), "the check value of a password that nobody made it of")
            let master = try keys.open(header)
            preconditionFailure("a master key of \(master.count) bytes that nobody wrapped")
        } catch { precondition(error.status == .invalidKeychain, "a status that is not documented: \(error.status)") }
    }

    private static let folders = KeychainFolders(user: "/user", machine: "/machine")

    /// Checks that preferences have one encoding, and that each path survives storing.
    private static func checkPreferences(_ bytes: UnsafeRawBufferPointer) {
        for part in KeychainPreferences.Part.allCases {
            guard let read = try? KeychainPreferences().replacing(part, by: bytes) else { continue }
            precondition(read.encoded(part).elementsEqual(bytes), "preferences with two encodings")
            for domain in PreferenceDomain.allCases {
                let list = read.searchList(of: domain, in: folders)
                precondition(Set(list).count == list.count && list.allSatisfy(\.isAbsolute), "a list of no whole paths")
                for path in read.stored(domain)?.searchList ?? [] { check(path, domain) }
            }
            check(read)
        }
    }

    private static func check(_ stored: KeychainPlace, _ domain: PreferenceDomain) {
        let whole = folders.path(of: stored, in: domain)
        // A path of the maximum length becomes too long below a folder.
        guard whole.text.utf8.count < KeychainPlace.maximumBytes - 8,
            let again = try? folders.stored(whole.text, in: domain)
        else { return }
        precondition(folders.path(of: again, in: domain) == whole, "a name that leads elsewhere")
    }

    private static func check(_ read: KeychainPreferences) {
        var changed = read
        let isAdded = (try? changed.add("/tmp/new", to: .user, in: folders)) != nil
        let list = changed.searchList(of: .user, in: folders)
        precondition(!isAdded || list.contains { $0.text == "/tmp/new" }, "added and not searched")
        do throws(KeychainError) { try changed.remove("/tmp/new", from: .user, in: folders) } catch {
            preconditionFailure("not to be removed: \(error)")
        }
        precondition(changed.user.searchList.allSatisfy { $0.text != "/tmp/new" }, "removed and still there")
    }

    /// A fast hash that ignores the parameters.
    private static let quick = PasswordHash(
        derive: { _, salt, _ in SecretBytes(salt + salt) }, processorTime: { 0 })

    /// Appends the correct checksum to the content of a header.
    private static func whole(_ content: UnsafeRawBufferPointer) -> [UInt8] {
        var writer = CBORWriter()
        writer.appendEncoded(content)
        writer.write(UInt64(10)); writer.write(Checksum.of(content))
        return writer.finishArray()
    }

    /// Makes a header of any values, which may demand too much work.
    private static func made(_ intake: inout Intake) -> KeychainHeader {
        let parameters = PasswordParameters(
            memory: UInt32(truncatingIfNeeded: intake.word()), passes: UInt32(intake.byte()),
            lanes: UInt32(intake.byte()))
        let terms = KeychainHeader.Terms(
            store: FixedKeys.store, parameters: parameters, salt: Bytes16(repeating: intake.byte()),
            indexSalt: Bytes16(repeating: intake.byte()))
        let (check, wrapped) = ([UInt8](intake.take(32)), [UInt8](intake.take(60)))
        return KeychainHeader(terms, check: check, wrappedKey: wrapped)
    }
}
